-- What the scenarios share: start the server in the way of this Neovim, wait
-- for a condition, choose a code action by its title as a person would.
--
-- Nothing here sleeps: every wait is for a condition, within one deadline.
local M = { messages = {}, exit = nil }

local deadline = 20000 -- milliseconds for one condition
local root = assert(os.getenv("E2E_ROOT"), "E2E_ROOT is not set")
local server = assert(os.getenv("E2E_SERVER"), "E2E_SERVER is not set")
local client_id -- of the one server that attach starts
local stopping = false -- whether the server is meant to end

local function record(_, result)
  table.insert(M.messages, result.message)
end
vim.lsp.handlers["window/showMessage"] = record

local config = {
  name = "memhtml",
  cmd = { server, "serve" },
  root_dir = root,
  on_exit = function(code, signal)
    M.exit = { code = code, signal = signal }
  end,
}

--- Starts the server once and attaches it to the buffer.
---@param buf integer
local function attach(buf)
  if vim.lsp.start then
    client_id = vim.lsp.start(config, { bufnr = buf })
  else
    client_id = client_id or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(buf, client_id)
  end
  assert(client_id, "the server did not start")
end

--- Opens a memory in the window, with the server attached.
---@param path string relative to the memory root
---@return integer buf
function M.open(path)
  vim.cmd("edit " .. vim.fn.fnameescape(root .. "/" .. path))
  local buf = vim.api.nvim_get_current_buf()
  attach(buf)
  return buf
end

--- Makes the buffer the one in the window.
---@param buf integer
function M.show(buf)
  vim.api.nvim_set_current_buf(buf)
end

---@param diagnostic table
---@return string
local function code(diagnostic)
  local lsp = (diagnostic.user_data or {}).lsp or {}
  return tostring(diagnostic.code or lsp.code)
end

--- The codes of the buffer's diagnostics, sorted and joined by spaces.
---@param buf integer
---@return string
function M.codes(buf)
  local codes = vim.tbl_map(code, vim.diagnostic.get(buf))
  table.sort(codes)
  return table.concat(codes, " ")
end

--- The buffer's first diagnostic of a code, or nil.
---@param buf integer
---@param wanted string
function M.find(buf, wanted)
  for _, diagnostic in ipairs(vim.diagnostic.get(buf)) do
    if code(diagnostic) == wanted then
      return diagnostic
    end
  end
end

--- Waits for a condition and returns its value.
---@param what string what is waited for, for the failure report
---@param condition fun(): any
function M.wait(what, condition)
  local value
  local ok = vim.wait(deadline, function()
    value = condition()
    return value or (M.exit and not stopping)
  end, 10)
  ok = ok and value
  if not ok then
    local shown = vim.tbl_map(function(d)
      return code(d) .. ": " .. d.message
    end, vim.diagnostic.get(nil))
    error(("%s while waiting for: %s\ndiagnostics: %s\nmessages: %s"):format(
      M.exit and "the server ended" or "time is up",
      what,
      vim.inspect(shown),
      vim.inspect(M.messages)
    ))
  end
  return value
end

--- Waits until the buffer's codes are exactly these.
---@param buf integer
---@param codes string sorted and joined by spaces; "" for none
function M.expect(buf, codes)
  M.wait(("%q in %s"):format(codes, vim.api.nvim_buf_get_name(buf)), function()
    return M.codes(buf) == codes
  end)
end

--- The text that a diagnostic underlines.
---@param buf integer
---@param d table
function M.underlined(buf, d)
  local lines = vim.api.nvim_buf_get_lines(buf, d.lnum, d.end_lnum + 1, true)
  lines[#lines] = lines[#lines]:sub(1, d.end_col)
  lines[1] = lines[1]:sub(d.col + 1)
  return table.concat(lines, "\n")
end

--- The memory root, for scenarios that start the server themselves.
M.root = root

--- Puts the cursor on the first place of a plain text in the buffer.
---@param text string
function M.cursor(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
    local at = line:find(text, 1, true)
    if at then
      vim.api.nvim_win_set_cursor(0, { number, at - 1 })
      return
    end
  end
  error("no such text in the buffer: " .. text)
end

--- Runs vim.lsp.buf.code_action at the cursor and picks the action of this
--- title from the menu that a person would see.
---@param title string
---@param meanwhile fun()? what happens while the menu is open
function M.action(title, meanwhile)
  local offered
  local select = vim.ui.select
  vim.ui.select = function(items, opts, choose)
    offered = vim.tbl_map(opts.format_item, items)
    for index, text in ipairs(offered) do
      if text == title then
        if meanwhile then
          meanwhile()
        end
        choose(items[index], index)
        return
      end
    end
    choose(nil, nil)
  end
  vim.lsp.buf.code_action()
  M.wait("a menu of code actions", function()
    return offered
  end)
  vim.ui.select = select
  if not vim.tbl_contains(offered, title) then
    error("no action " .. title .. " among " .. vim.inspect(offered))
  end
end

--- The titles of the code actions at the cursor that can be chosen, without a
--- menu. Newer Neovims are also told of those that cannot, with the reason.
---@return string[]
function M.offered()
  local params = vim.lsp.util.make_range_params(0, vim.lsp.get_client_by_id(client_id).offset_encoding)
  params.context = { diagnostics = {} }
  local answers = assert(vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, deadline))
  local titles = {}
  for _, answer in pairs(answers) do
    for _, action in ipairs(answer.result or {}) do
      if not action.disabled then
        table.insert(titles, action.title)
      end
    end
  end
  return titles
end

--- Gives the server the person's settings: those of its start before a file is
--- opened, and afterwards as a change.
---@param settings table
function M.configure(settings)
  config.settings = settings
  if vim.fn.has("nvim-0.8") == 0 then
    -- It keeps them to itself unless it is told to send them.
    config.on_init = function(client)
      client.notify("workspace/didChangeConfiguration", { settings = settings })
    end
  end
  local client = client_id and vim.lsp.get_client_by_id(client_id)
  if not client then
    return
  end
  client.config.settings = settings
  client.settings = settings
  local params = { settings = settings }
  if vim.fn.has("nvim-0.11") == 1 then
    client:notify("workspace/didChangeConfiguration", params)
  else
    client.notify("workspace/didChangeConfiguration", params)
  end
end

--- Waits for a message to the person that contains the text.
---@param text string
function M.told(text)
  return M.wait("a message with " .. text, function()
    for _, message in ipairs(M.messages) do
      if message:find(text, 1, true) then
        return message
      end
    end
  end)
end

--- The id of HEAD's commit.
---@return string
function M.head()
  return vim.trim(vim.fn.system({ "git", "-C", root, "rev-parse", "HEAD" }))
end

--- Waits for HEAD to leave the commit.
---@param before string
function M.committed(before)
  M.wait("a commit", function()
    return M.head() ~= before
  end)
end

--- Stops every server and waits for its clean end.
local function stop()
  stopping = true
  local clients = vim.lsp.get_clients or vim.lsp.get_active_clients
  vim.lsp.stop_client(clients())
  M.wait("the server's end", function()
    return #clients() == 0
  end)
  if M.exit then
    assert(M.exit.code == 0 and M.exit.signal == 0, "the server ended with " .. vim.inspect(M.exit))
  end
end

--- Runs a scenario and leaves the editor with its outcome.
---@param scenario fun()
function M.run(scenario)
  local ok, problem = xpcall(function()
    scenario()
    stop()
  end, debug.traceback)
  if not ok then
    io.stderr:write(tostring(problem) .. "\n")
    vim.cmd("cquit 1")
  end
  vim.cmd("qall!")
end

return M

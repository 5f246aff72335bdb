-- The lines of the README start the server for a memory, with nothing else in
-- the configuration, and not for another HTML file.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local readme = os.getenv("E2E_README")
  if not vim.lsp.start then
    dofile(readme .. "/2.lua")
  end
  vim.cmd("filetype on")
  dofile(readme .. "/1.lua")

  vim.cmd("edit " .. vim.fn.tempname() .. ".html")
  local clients = vim.lsp.get_clients or vim.lsp.get_active_clients
  assert(#clients() == 0, "a server was started outside a memory repository")

  vim.cmd("edit " .. e.root .. "/areas/inbox/gateway-restart-from-chat.html")
  e.expect(vim.api.nvim_get_current_buf(), "duplicate")
  assert(clients()[1].config.root_dir == e.root, "its root is " .. clients()[1].config.root_dir)
end)

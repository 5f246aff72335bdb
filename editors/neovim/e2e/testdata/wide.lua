-- Positions hold on a line with characters of two, three and four bytes, in
-- both directions: what is underlined is the claim, and an action on it is
-- offered.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local buf = e.open("areas/ops/on-call.html")
  local line
  for number, text in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, true)) do
    if text:find("<mark>", 1, true) then
      line = number
    end
  end
  vim.api.nvim_buf_set_lines(buf, line - 1, line, true, {
    "<p>Né à 港 🚢🚢: <mark>The connection pool ceiling is 九六🚢</mark>, até já 🚢.</p>",
  })
  local d = e.wait("frame-key-conflict", function()
    return e.find(buf, "frame-key-conflict")
  end)
  assert(
    e.underlined(buf, d) == "The connection pool ceiling is 九六🚢",
    "it underlines " .. e.underlined(buf, d)
  )
end)

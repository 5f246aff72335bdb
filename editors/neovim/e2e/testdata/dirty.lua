-- Unsaved work is never committed and never thrown away: the command says what
-- stands in the way and nothing changes.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local buf = e.open("areas/inbox/gateway-restart-from-chat.html")
  e.expect(buf, "duplicate")

  local before = e.head()
  e.cursor("</html>")
  vim.cmd("normal! O<!-- not saved yet -->")
  e.cursor("Drain the gateway and")
  e.action("Archive this copy, keep areas/ops/drain.html")
  e.told("unsaved changes")
  assert(e.head() == before, "a commit was made from a dirty buffer")
  assert(vim.bo[buf].modified, "the unsaved edit is gone")
end)

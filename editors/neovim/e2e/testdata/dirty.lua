-- Unsaved work is never committed and never thrown away. An edit that is made
-- while the menu is open refuses the command; after it nothing that would make
-- a commit is offered.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local buf = e.open("areas/inbox/gateway-restart-from-chat.html")
  e.expect(buf, "duplicate")

  local before = e.head()
  e.cursor("Drain the gateway and")
  e.action("Archive this copy, keep areas/ops/drain.html", function()
    e.cursor("</html>")
    vim.cmd("normal! O<!-- not saved yet -->")
  end)
  e.told("areas/inbox/gateway-restart-from-chat.html has unsaved changes")
  assert(e.head() == before, "a commit was made from a dirty buffer")
  assert(vim.bo[buf].modified, "the unsaved edit is gone")

  e.cursor("Drain the gateway and")
  for _, title in ipairs(e.offered()) do
    assert(not title:find("^Archive"), "a dirty buffer is offered " .. title)
  end
end)

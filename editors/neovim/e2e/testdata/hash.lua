-- A fix that is an edit stays in the buffer: no commit, and the finding goes.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local buf = e.open("resources/materials/antifouling.html")
  e.expect(buf, "content-hash-stale")

  local before = e.head()
  e.cursor("sha256:")
  e.action("Refresh the content hash")
  e.expect(buf, "")
  assert(vim.bo[buf].modified, "the buffer was not edited")
  assert(e.head() == before, "a text fix made a commit")
  vim.cmd("write")
  e.expect(buf, "")
end)

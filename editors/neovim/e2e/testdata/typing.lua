-- A conflict appears while the person types, before any save, and goes with
-- the undo; so does a flaw of the file itself.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local buf = e.open("areas/ops/on-call.html")

  e.cursor("<mark>")
  vim.cmd("normal! citThe connection pool ceiling is 96")
  e.expect(buf, "content-hash-stale frame-key-conflict")
  local d = e.find(buf, "frame-key-conflict")
  assert(d.message:find("areas/ops/pool-size.html", 1, true), "the message names no other file: " .. d.message)
  assert(e.underlined(buf, d) == "The connection pool ceiling is 96", "it underlines " .. e.underlined(buf, d))

  vim.cmd("undo")
  e.expect(buf, "")

  e.cursor("<p>")
  vim.cmd('normal! ea class="lead"')
  e.wait("forbidden-attribute", function()
    return e.find(buf, "forbidden-attribute")
  end)
  vim.cmd("undo")
  e.expect(buf, "")
  assert(#e.messages == 0, "typing brought up messages: " .. vim.inspect(e.messages))
end)

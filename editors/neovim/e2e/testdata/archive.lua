-- Both files of a duplicate are open. Archiving the older one clears the
-- finding that the other one carries.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local copy = e.open("areas/inbox/gateway-restart-from-chat.html")
  e.expect(copy, "duplicate")
  local kept = e.open("areas/ops/drain.html")
  e.expect(kept, "")

  local before = e.head()
  e.show(kept)
  e.cursor("Drain the gateway and")
  e.action("Archive this copy, keep areas/inbox/gateway-restart-from-chat.html")
  e.committed(before)
  e.expect(copy, "")
end)

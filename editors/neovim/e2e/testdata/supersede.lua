-- Two values for one slot: the later memory supersedes the earlier one, in one
-- commit, and the finding goes without a save.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local buf = e.open("projects/berth-booking/pool-size-after-upgrade.html")
  e.expect(buf, "frame-key-conflict")

  local before = e.head()
  e.cursor("The connection pool")
  e.action("This supersedes areas/ops/pool-size.html")
  e.committed(before)
  e.expect(buf, "")
  e.told("Superseded areas/ops/pool-size.html")
end)

-- What is typed in one file takes away the finding of another that is open and
-- untouched, and undoing it brings the finding back, to either of the two.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local reports = e.open("projects/berth-booking/pool-size-after-upgrade.html")
  e.expect(reports, "frame-key-conflict")

  vim.cmd("split")
  local other = e.open("areas/ops/pool-size.html")
  e.cursor("<mark>")
  vim.cmd("normal! citThe yard gate opens at seven")
  e.expect(reports, "")

  vim.cmd("undo")
  e.wait("the conflict again", function()
    return e.find(reports, "frame-key-conflict") or e.find(other, "frame-key-conflict")
  end)
end)

-- Neovim reports no change of a file that is not open. What another program
-- commits is seen all the same, while the person does nothing.
local e = dofile(os.getenv("E2E_LIB"))

e.run(function()
  local buf = e.open("areas/inbox/gateway-restart-from-chat.html")
  e.expect(buf, "duplicate")

  local function git(...)
    local output = vim.fn.system({ "git", "-C", e.root, ... })
    assert(vim.v.shell_error == 0, output)
  end
  git("rm", "-q", "areas/ops/drain.html")
  git("commit", "-q", "-m", "take the runbook off the wall")
  e.expect(buf, "")
end)

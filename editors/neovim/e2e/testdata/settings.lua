-- The person's settings count from the start, and at once when they change; what
-- is mistyped is told once.
local e = dofile(os.getenv("E2E_LIB"))

local function severity(word)
  return { memhtml = { diagnostics = { severities = { ["frame-key-conflict"] = word }, exclude = {}, mirorr = "hint" } } }
end

e.configure(severity("hint"))
e.run(function()
  local buf = e.open("projects/berth-booking/pool-size-after-upgrade.html")
  local function wait(word, level)
    e.wait("the conflict as " .. word, function()
      local d = e.find(buf, "frame-key-conflict")
      return d and d.severity == level
    end)
  end
  wait("hint", vim.diagnostic.severity.HINT)

  e.configure(severity("error"))
  wait("error", vim.diagnostic.severity.ERROR)

  e.configure(severity("off"))
  e.expect(buf, "")

  e.configure(severity(nil))
  wait("warning", vim.diagnostic.severity.WARN)

  e.told("Did you mean diagnostics.mirror?")
  assert(#e.messages == 1, "told more than once: " .. vim.inspect(e.messages))
end)

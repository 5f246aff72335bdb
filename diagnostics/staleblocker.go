package diagnostics

var staleBlockerEntry = Entry{
	Code:     StaleBlocker,
	Severity: Hint,
	Meaning:  "the task is blocked by a task that is done or archived",
	What: "A task in the archive has a `memhtml-blocks` link to this open one. Or this one says that it is blocked, " +
		"and every task that blocks it is done or archived.",
	Why:   "The task waits for something that will not move any more. Each of the two files is in order, only together they tell it.",
	Fix:   "Set `memhtml-task-status` to todo or doing, and remove the link from the other task. If that one was archived too early, bring it back.",
	Wrong: "When the task waits for something that is no task as well.",
	Since: "0.1.0",
}

func (r *report) staleBlockers() {
	for i, g := range r.Snapshot.StaleBlockers(r.File) {
		if i == pairLimit {
			return
		}
		state := " is done, and blocks this task."
		if g.Archived() {
			state = " is in the archive, and blocks this task."
		}
		r.add(Finding{
			Code: StaleBlocker, Span: r.meta("memhtml-task-status"),
			Message: Shown(g.Path) + state,
			Data:    Data{Other: g.Path},
			Related: []Related{r.related(g)},
		})
	}
}

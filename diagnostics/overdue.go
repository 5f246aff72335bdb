package diagnostics

var overdueTaskEntry = Entry{
	Code:     OverdueTask,
	Severity: Hint,
	Meaning:  "the task was due and is not done",
	What: "`memhtml-due` is a day before today, in UTC, and the task is neither done nor in the archive. On its day a task is not late. " +
		"The finding comes by itself when the day has passed.",
	Why:   "Tasks stay out of searches, so that nothing else will tell that the day has passed.",
	Fix:   "Do it and set `memhtml-task-status` to done, set another day, or archive the task.",
	Wrong: "When the day was a wish. Remove `memhtml-due`.",
	Since: "0.1.0",
}

func (r *report) overdue() {
	if !r.File.Overdue(r.Today) {
		return
	}
	const name = "memhtml-due"
	says := r.File.Says()
	r.add(Finding{
		Code: OverdueTask, Span: r.meta(name),
		Message: "Due " + Shown(says.Due) + ", and still " + Shown(says.TaskStatus) + ".",
		Data:    Data{Subject: name, Value: says.Due},
	})
}

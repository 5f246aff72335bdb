package diagnostics

import "github.com/memhtml-ls/memhtml-ls/memory"

// taskStates ends the messages about a task's progress.
const taskStates = "todo, doing, blocked or done."

var taskStatusRequiredEntry = Entry{
	Code:     TaskStatusRequired,
	Severity: Error,
	Meaning:  "a task has no memhtml-task-status",
	What:     "The type of the memory is task, and the head has no `memhtml-task-status`.",
	Why:      "Without it nobody can tell open tasks from done ones.",
	Fix:      "Add the meta with todo, doing, blocked or done.",
	Wrong:    "When the memory is no task: correct its type.",
	Since:    "0.1.0",
	say:      func(memory.Problem) string { return "A task has a memhtml-task-status: " + taskStates },
}

var taskStatusUnknownEntry = Entry{
	Code:     TaskStatusUnknown,
	Severity: Error,
	Meaning:  "memhtml-task-status is not todo, doing, blocked or done",
	What:     "The status of the task is another word, or empty.",
	Why:      "Lists of open tasks are made from these four words; a task with another would be in none.",
	Fix:      "Write the one that fits best; what else there is to say goes into the article.",
	Wrong:    "Never.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return subject(p.Value) + " is not a task status: " + taskStates
	},
}

var taskStatusForbiddenEntry = Entry{
	Code:     TaskStatusForbidden,
	Severity: Error,
	Meaning:  "a memory that is no task has a memhtml-task-status",
	What:     "The head has a `memhtml-task-status`, and the type of the memory is not task.",
	Why:      "Tasks are never compared with other memories. A file that is half a task would be treated as one by some readers and not by others.",
	Fix:      "Remove the meta, or make the type task.",
	Wrong:    "Never.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		if p.Type == "" {
			return "Only a task has a memhtml-task-status."
		}
		return "Only a task has a memhtml-task-status; this memory is " + Shown(p.Type) + "."
	},
}

package diagnostics

import (
	"strings"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

var edgeClassEntry = Entry{
	Code:     EdgeClassMismatch,
	Severity: Error,
	Meaning:  "a link ties a task and a memory by a relation that is for one kind only",
	What: "A relation between memories, such as supports, has a task at one of its ends, or blocks or subtask-of has something that is no task.\n\n" +
		"A file with format errors is not judged, at either end. Links to people and sessions may come from both kinds.",
	Why: "What is to be done and what is known are kept apart: tasks are never compared, ranked or superseded. " +
		"memhtml refuses to write such a link, and one that was written by hand misleads its graph.",
	Fix:   "Take “Remove the link”. Between tasks use blocks or subtask-of, between memories any of the others.",
	Wrong: "When one of the two files has the wrong type: correct that.",
	Since: "0.1.0",
}

func (r *report) edgeClass(l memory.Link, to *index.File) {
	end := index.Misfit(l.Rel, r.File, to)
	if end == nil {
		return
	}
	r.add(Finding{
		Code: EdgeClassMismatch, Span: r.Document.Spans().Link(l),
		Message: sayMisfit(l.Rel, r.File, end),
		Data:    Data{Other: to.Path, Subject: l.Rel, Value: l.Href},
		Related: []Related{r.related(to)},
	})
}

// sayMisfit says of the file or of the other end of its link why they do not go
// with a relation.
func sayMisfit(rel string, file, end *index.File) string {
	subject := "This"
	if end.Path != file.Path {
		subject = Shown(end.Path)
	}
	written := strings.ReplaceAll(rel, "_", "-")
	if memory.ClassOf(rel) == memory.TaskRel {
		return subject + " is no task, and " + written + " is between tasks."
	}
	return subject + " is a task, and " + written + " is between memories."
}

package diagnostics

import (
	"github.com/memhtml-ls/memhtml-ls/memory"
)

var mergeMarkersEntry = Entry{
	Code:     MergeMarkers,
	Severity: Error,
	Meaning:  "the file is in the middle of a merge",
	What: "Lines of the file begin with git's conflict markers `<<<<<<<`, `=======` and `>>>>>>>` in that order, " +
		"or git's index holds the path unmerged.",
	Why:   "What the file says is not settled yet. It is compared with no other memory until it is.",
	Fix:   "Choose what shall stand, remove the markers and stage the file.",
	Wrong: "When the memory is about conflict markers. Write `<` as `&lt;`, as HTML asks for.",
	Since: "0.1.0",
}

// unmerged reports a file that is in the middle of a merge, and whether it is.
func (r *report) unmerged() bool {
	if r.Document != nil {
		if span, ok := memory.MergeMarkers(r.Document.Source); ok {
			r.add(Finding{
				Code: MergeMarkers, Span: span,
				Message: "This file has git's conflict markers in it. Settle the merge; until then it is compared with no other memory.",
			})
			return true
		}
	}
	if r.File.Unmerged {
		r.add(Finding{
			Code: MergeMarkers, Span: r.claim(),
			Message: "Git holds this file unmerged. Stage what shall stand; until then it is compared with no other memory.",
		})
	}
	return r.File.Unmerged
}

var notIndexedEntry = Entry{
	Code:     NotIndexed,
	Severity: Warning,
	Meaning:  "the file could not be taken in",
	What:     "The file is larger than 8 MiB, cannot be read, or is not a regular file: a link or a device whose name ends in .html.",
	Why:      "Nothing in it was checked, and no other memory was compared with it. No other finding on the file does not mean that it is in order.",
	Fix:      "Split a large file into one file a fact. Give yourself the right to read the file. Put a copy in the place of a link.",
	Wrong:    "When the file is no memory: move it out of projects, areas, resources and archive.",
	Since:    "0.1.0",
}

// unreadReasons says each [index.File.Unread] in words.
var unreadReasons = map[string]string{
	"too-large":   "it is larger than 8 MiB",
	"unreadable":  "it cannot be read",
	"not-regular": "it is not a regular file",
}

func (r *report) unread() {
	reason, ok := unreadReasons[r.File.Unread]
	if !ok {
		reason = Shown(r.File.Unread)
	}
	r.add(Finding{
		Code:    NotIndexed,
		Message: "Not checked and compared with nothing: " + reason + ".",
		Data:    Data{Value: r.File.Unread},
	})
}

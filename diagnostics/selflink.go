package diagnostics

import "github.com/memhtml-ls/memhtml-ls/memory"

var selfLinkEntry = Entry{
	Code:     SelfLink,
	Severity: Warning,
	Meaning:  "a memhtml- link names the file it is in",
	What:     "The href of a `memhtml-` link leads to the very file that holds the link.",
	Why:      "The relation says nothing, and the other memory that was meant is not connected. memhtml drops such a link from its graph without a word.",
	Fix:      "Take “Remove the link”, or write the path of the memory that was meant.",
	Wrong:    "Never. It happens when a memory is made from a copy of another.",
	Since:    "0.1.0",
}

func (r *report) selfLink(l memory.Link) {
	r.add(Finding{
		Code: SelfLink, Span: r.Document.Spans().Link(l),
		Message: "This link names the file it is in.",
		Data:    Data{Subject: l.Rel, Value: l.Href},
	})
}

package diagnostics

import "github.com/memhtml-ls/memhtml-ls/memory"

var titleCountEntry = Entry{
	Code:     TitleCount,
	Severity: Error,
	Meaning:  "the document has no <title>, or several",
	What:     "The document has no `<title>` element, or several. Those in the body and in an SVG count too.",
	Why:      "The title names the memory in lists, commits and search results. memhtml refuses the file otherwise.",
	Fix:      "Write one `<title>` in the head and remove the others.",
	Wrong:    "Never, though the second title may be hard to see: look for an SVG picture or a `<title>` that was pasted into the article.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return plural(p.Count, "<title> element") + ": a memory has exactly one."
	},
}

var titleEmptyEntry = Entry{
	Code:     TitleEmpty,
	Severity: Error,
	Meaning:  "the <title> has no text",
	What:     "The `<title>` element is there, but holds nothing or only spaces.",
	Why:      "The title names the memory in lists, commits and search results. memhtml refuses the file otherwise.",
	Fix:      "Write a few words that a person would search for.",
	Wrong:    "Never.",
	Since:    "0.1.0",
	say:      func(memory.Problem) string { return "The <title> has no text." },
}

package diagnostics

import "github.com/memhtml-ls/memhtml-ls/memory"

var typeUnknownEntry = Entry{
	Code:     TypeUnknown,
	Severity: Error,
	Meaning:  "memhtml-type is none of the ten types",
	What: "The type is none of episodic, semantic, procedural, `agent_insight`, `user_preference`, `error_pattern`, verdict, precedent, arc and task. " +
		"Spelling is exact: lower case, underscores, no spaces.",
	Why:   "The type decides where a memory lives, what it is compared with and how long it is kept.",
	Fix:   "Choose the type that fits. A plain fact is semantic, a thing that happened episodic, a way of doing procedural.",
	Wrong: "When a later version of memhtml has added the type: then this server is older than your memories.",
	Since: "0.1.0",
	say: func(p memory.Problem) string {
		return subject(p.Value) + " is not a memory type: episodic, semantic, procedural, agent_insight, user_preference, " +
			"error_pattern, verdict, precedent, arc or task."
	},
}

var statusUnknownEntry = Entry{
	Code:     StatusUnknown,
	Severity: Error,
	Meaning:  "memhtml-status is neither active nor archived",
	What:     "The status is neither active nor archived.",
	Why:      "memhtml refuses the file. Whether a memory counts as archived is decided by its folder alone, yet the word has to be one of the two.",
	Fix:      "Write active. To put a memory away take “Archive this memory…”, which moves the file and sets the status.",
	Wrong:    "Never. The progress of a task goes into `memhtml-task-status`.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return subject(p.Value) + " is not a status: active or archived."
	},
}

var elementUnknownEntry = Entry{
	Code:     ElementUnknown,
	Severity: Warning,
	Meaning:  "an element is not part of the format",
	What:     "The document uses an element outside the small vocabulary of the format, such as `<h1>`, `<b>` or `<img>`. Each name is told once.",
	Why:      "Its text is kept and counts, but readers of the format give it no meaning, and a picture has no text at all.",
	Fix:      "Use what the format has: `<section>` with a first sentence for a heading, `<strong>` for `<b>`, `<em>` for `<i>`, `<figure>` for what is shown.",
	Wrong:    "When the element is harmless to you: memhtml accepts the file.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return "<" + Shown(p.Subject) + "> is not an element of the memory format."
	},
}

var elementScopeEntry = Entry{
	Code:     ElementScope,
	Severity: Warning,
	Meaning:  "a <div> or <span> stands outside a <figure>",
	What:     "A `<div>` or `<span>` is used outside a `<figure>`. Each name is told once.",
	Why:      "The two say nothing about their content. They usually come with text pasted from a web page.",
	Fix:      "Use `<p>`, `<section>` or no element at all.",
	Wrong:    "When the element is harmless to you: memhtml accepts the file.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return "<" + Shown(p.Subject) + "> belongs in a <figure> only."
	},
}

var langTokenEntry = Entry{
	Code:     LangToken,
	Severity: Warning,
	Meaning:  "a data-lang is not the name of a language",
	What:     "The value of `data-lang` does not begin with a letter or digit, or has other characters than letters, digits and `_ + # . -` in it.",
	Why:      "The value is made a search term (lang:go). One with spaces is never found.",
	Fix:      "Write the short name that editors use: go, ts, c++, shell.",
	Wrong:    "When nobody searches by it: memhtml accepts the file.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		if p.Value == "" {
			return "This data-lang is empty."
		}
		return quote(p.Value) + " is not the name of a language: letters, digits and _ + # . - only."
	},
}

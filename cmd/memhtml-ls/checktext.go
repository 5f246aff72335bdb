package main

import (
	"fmt"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// locationWidth is up to where locations are padded: one very long path must
// not push every message off the screen.
const locationWidth = 56

// severityStyles mark severities; the words are there in any case.
var severityStyles = map[string]string{"error": red, "warning": yellow, "information": blue, "hint": dim}

// writeCheckText writes one line for each finding, what it refers to below it,
// and a summary.
func writeCheckText(u *ui, report *checkReport) {
	location, code := 0, 0
	for _, f := range report.Findings {
		location = max(location, columns(locationOf(f.Path, f.Range)))
		code = max(code, columns(string(f.Code)))
	}
	location = min(location, locationWidth)
	for _, f := range report.Findings {
		u.printf("%s  %s  %s  %s\n",
			u.paint(bold, pad(locationOf(f.Path, f.Range), location)),
			u.paint(severityStyles[f.Severity], pad(f.Severity, len("information"))),
			pad(string(f.Code), code), f.Message)
		for _, other := range f.Related {
			u.printf("    %s  %s\n", locationOf(other.Path, other.Range), u.paint(dim, other.Message))
		}
	}
	u.say("%s", summaryLine(report))
	if report.whole && report.Inbox.Crowded() {
		u.say("The inbox holds %s, which wait to be placed.", inboxLine(report.Inbox))
	}
}

// locationOf is "path:line:column", both from 1, as terminals link it.
func locationOf(path string, at textRange) string {
	return fmt.Sprintf("%s:%d:%d", diagnostics.Shown(path), at.Start.Line+1, at.Start.Character+1)
}

// inboxLine is the depth of the inbox in words.
func inboxLine(inbox session.Inbox) string {
	memories := thousands(inbox.Memories) + " memories"
	if inbox.Memories == 1 {
		memories = "1 memory"
	}
	return memories + " and " + counted(inbox.Tasks, "task")
}

// summaryLine counts what was found, worst first.
func summaryLine(report *checkReport) string {
	var parts []string
	s := report.Summary
	for _, part := range []struct {
		n    int
		word string
	}{{s.Error, "error"}, {s.Warning, "warning"}, {s.Hint, "hint"}} {
		if part.n > 0 {
			parts = append(parts, counted(part.n, part.word))
		}
	}
	if s.Information > 0 {
		parts = append(parts, thousands(s.Information)+" for information")
	}
	files := counted(report.Files, "file")
	only := ""
	if len(report.codes) > 0 {
		only = ", looking for " + spelling.Alternatives(report.codes) + " only"
	}
	line := strings.Join(parts, ", ")
	if len(parts) == 0 {
		line = "Nothing found"
	}
	line += " in " + files + only + "."
	if report.Excluded > 0 {
		line += " Excluded by the settings: " + counted(report.Excluded, "file") + "."
	}
	if report.NotCompared > 0 {
		line += " Compared with nothing, because of format errors: " + counted(report.NotCompared, "file") + "."
	}
	return line
}

package main

import (
	"context"
	"flag"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/spelling"
	"github.com/memhtml-ls/memhtml-ls/session"
)

const explainAbout = `
Prints the page of a diagnostic code: what it means, why it matters, what to do
about it and when it is wrong. --all lists every code there is.
`

func explainCommand() command {
	return command{
		name: "explain", args: "CODE", short: "print the page of a diagnostic code", about: explainAbout, most: 1,
		formats: []string{"text", "json"},
		setup: func(flags *flag.FlagSet) action {
			all := flags.Bool("all", false, "list every code")
			return func(_ context.Context, c *call) error { return explain(c, *all) }
		},
	}
}

// explanation is one code in "explain.report".
type explanation struct {
	Code     diagnostics.Code `json:"code"`
	Severity string           `json:"severity"`
	Meaning  string           `json:"meaning"`
	Since    string           `json:"since"`
	// Page is the whole page in Markdown, Example a txtar of a corpus that has
	// the finding on its last file.
	Page    string `json:"page"`
	Example string `json:"example"`
}

func explain(c *call, all bool) error {
	switch {
	case all && len(c.args) > 0:
		return failure.New(failure.InvalidFlag, "explain takes a CODE or --all, not both.")
	case all:
		explainAll(c.ui)
		return nil
	case len(c.args) == 0:
		return failure.New(failure.MissingArgument, "explain needs a CODE.").Suggest("memhtml-ls explain --all lists them.")
	}
	entry, ok := diagnostics.Lookup(diagnostics.Code(c.args[0]))
	switch {
	case !ok:
		return unknownCode(c.args[0])
	case c.ui.json:
		c.ui.envelope(session.Success("explain.report", explanationOf(entry)))
	default:
		c.ui.printf("%s\n", strings.TrimRight(entry.Markdown(), "\n"))
	}
	return nil
}

func explainAll(u *ui) {
	catalog := diagnostics.Catalog()
	if u.json {
		all := make([]explanation, 0, len(catalog))
		for _, entry := range catalog {
			all = append(all, explanationOf(entry))
		}
		u.envelope(session.Success("explain.catalog", map[string]any{"codes": all}))
		return
	}
	width := 0
	for _, entry := range catalog {
		width = max(width, columns(string(entry.Code)))
	}
	for _, entry := range catalog {
		severity := entry.Severity.String()
		u.printf("%s  %s  %s\n", pad(string(entry.Code), width),
			u.paint(severityStyles[severity], pad(severity, len("information"))), entry.Meaning)
	}
}

func explanationOf(entry diagnostics.Entry) explanation {
	return explanation{
		Code: entry.Code, Severity: entry.Severity.String(), Meaning: entry.Meaning, Since: entry.Since,
		Page: entry.Markdown(), Example: entry.Example,
	}
}

func unknownCode(word string) error {
	var codes []string
	for _, entry := range diagnostics.Catalog() {
		codes = append(codes, string(entry.Code))
	}
	unknown := failure.New(failure.InvalidFlag, "There is no diagnostic code “%s”.", word)
	if near := spelling.Nearest(word, codes); len(near) > 0 {
		return unknown.Suggest(near...)
	}
	return unknown.Suggest("memhtml-ls explain --all lists them.")
}

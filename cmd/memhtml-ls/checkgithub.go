package main

import (
	"path"
	"strings"
)

// writeGitHub writes one workflow command for each finding, which GitHub shows
// as an annotation at its line.
func writeGitHub(u *ui, report *checkReport) {
	levels := map[string]string{"error": "error", "warning": "warning"}
	place := report.placer()
	for _, f := range report.Findings {
		level, ok := levels[f.Severity]
		if !ok {
			level = "notice"
		}
		u.printf("::%s file=%s,line=%d,endLine=%d,col=%d,endColumn=%d,title=%s::%s\n", level,
			githubProperty(place(f.Path)), f.Range.Start.Line+1, f.Range.End.Line+1,
			f.Range.Start.Character+1, f.Range.End.Character+1,
			githubProperty(string(f.Code)), githubText(f.Message))
	}
}

// githubText escapes what would end a workflow command.
func githubText(text string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(text)
}

// githubProperty escapes what would end a property of one as well.
func githubProperty(text string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubText(text))
}

// placer returns how paths of the root are written for a code host: relative to
// the top of the repository, wherever the check was started.
func (r *checkReport) placer() func(string) string {
	return func(file string) string { return path.Join(r.prefix, file) }
}

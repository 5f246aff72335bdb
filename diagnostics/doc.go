// Package diagnostics turns a Snapshot and a document into findings. It is
// pure: it reads no file, asks no database and knows no protocol. The catalogue
// of codes lives here.
//
// A check and its messages stand in one file with the entries of its codes.
// Findings stay structured until the message is made, last. What is not here:
// which files to report on and when, what was published before, and the fixes.
package diagnostics

//go:generate go run ./internal/pages ../docs/diagnostics
//go:generate go run ../internal/settings/pages ../internal/settings/settings.go ../docs ../editors/vscode/package.json

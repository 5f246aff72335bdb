// Package diagnostics turns a Snapshot and a document into findings. It is
// pure: it reads no file, asks no database and knows no protocol. The catalogue
// of codes lives here.
package diagnostics

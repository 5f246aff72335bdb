// Package session is the engine that the language server and the command line
// share: memory roots, the one funnel through which every change enters, the
// current view of a root, and the commands that turn a request into a plan and
// a plan into a result.
//
// It knows no protocol and no flags. Rules about one file live in memory, rules
// about two files in diagnostics, and how a commit is made in store.
package session

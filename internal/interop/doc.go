// Package interop runs memhtml-ls and the memhtml of npm side by side on real
// repositories: each must accept and continue what the other wrote, and the same
// commands must give the same files.
//
// Its tests carry the build tag interop, because they need Node and that
// package; go test ./... of the module does not run them and scripts/test --all
// does:
//
//	MEMHTML_NPM=$(scripts/memhtml-npm) go test -tags interop ./internal/interop
//
// Without the folder they fail. They reach no network. The differences that are
// meant are rows of one table, which a test compares with
// docs/interoperability.md; a difference that is in no row fails. Nothing here
// tests a rule about memories for its own sake: the pure packages do.
package interop

// Package e2e drives a real, headless Neovim through the real server binary
// over a copy of the example corpus, and looks at what git has afterwards.
//
// Its tests carry the build tag nvim, because they need an editor; go test
// ./... of the module does not run them and scripts/test does:
//
//	MEMHTML_NVIM=/usr/bin/nvim go test -tags nvim ./editors/neovim/e2e
//
// A scenario is one Lua file in testdata, run inside the editor, and one row of
// the table in e2e_test.go, which says what must be true of the repository when
// the editor has gone. Nothing here tests a rule about memories: only that what
// the server says arrives in an editor that people use.
package e2e

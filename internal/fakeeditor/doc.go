// Package fakeeditor is a language client for tests: buffers with versions,
// workspace edits that are checked before they are applied, answers to what a
// server asks, and waits for conditions instead of sleeps.
//
// It has framing and types of its own, so that what is tested is the wire and
// not the agreement of a library with itself. It knows nothing of memories.
package fakeeditor

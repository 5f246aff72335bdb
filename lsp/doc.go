// Package lsp is the language server: protocol in, protocol out. It is the
// only package that knows the Language Server Protocol, and it knows nothing
// else: what a memory may look like, what is a duplicate and how a commit is
// made is asked of package session.
//
// Messages are handled in the order of the wire. A handler does its
// order-critical part at once, in microseconds and without I/O: it applies a
// text change, or takes the snapshot that its answer will be about. Then it
// lets go of the order with [async] and does the rest beside later messages.
// Findings are published by one goroutine, so that they arrive in order too.
//
// A few things go beyond the protocol, and only to clients that ask for them in
// initializationOptions or under capabilities.experimental: {"memhtmlStatus":
// true} for the notification memhtml/status, {"memhtmlDidChangeMemory": true}
// for memhtml/didChangeMemory, and {"memhtmlPrompts": true} for actions that
// need a word of the person. The title of such an action ends in an
// ellipsis, and the argument of its command has a member "ask" that names
// another: "claim" of memhtml.correct, "reason" of the others, which may stay
// away. The client asks the person, sets that member and executes the command.
// For a claim "was" holds what it says now. Without memhtmlPrompts a correction
// can be committed only from an edit.
//
// Four more are for a client that does what others leave to the server:
//   - memhtmlSaves: an action is offered although files have unsaved changes. Its
//     argument names them in "save"; the client saves them and puts the SHA-256 of
//     what they hold then into "expect".
//   - memhtmlOutcomes: nothing is shown after a command. The answer has a member
//     "outcome" instead, with what to tell the person ("message", "warnings"),
//     where files went ("moved", by uri) and the argument ("undo") with which
//     memhtml.undo takes the commit back and memhtml.show tells what it did.
//   - memhtmlCompares: the client has a command memhtml.compareWith, which shows
//     "uri" beside "target".
//   - memhtmlUntrusted: the person does not vouch for the folders. There are
//     findings and memhtml.status; no action is offered, every other command is
//     refused, and the settings of repositories are not read.
//
// The library's own server constructors are not used: they deliver messages
// out of order, and end the session on a notification that fails. chain.go
// says what is used instead.
package lsp

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
// Three things go beyond the protocol, and only to clients that ask for them in
// initializationOptions or under capabilities.experimental: {"memhtmlStatus":
// true} for the notification memhtml/status, {"memhtmlDidChangeMemory": true}
// for memhtml/didChangeMemory, and {"memhtmlPrompts": true} for actions that
// need a word of the person. The title of such an action ends in an
// ellipsis, and the argument of its command has a member "ask" that names
// another: "claim" of memhtml.correct, "reason" of the others, which may stay
// away. The client asks the person, sets that member and executes the command.
// Without memhtmlPrompts a correction can be committed only from an edit.
//
// The library's own server constructors are not used: they deliver messages
// out of order, and end the session on a notification that fails. chain.go
// says what is used instead.
package lsp

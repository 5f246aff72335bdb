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
// The library's own server constructors are not used: they deliver messages
// out of order, and end the session on a notification that fails. chain.go
// says what is used instead.
package lsp

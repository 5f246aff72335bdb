// Command memhtml-ls is the language server for memory HTML, and the same
// engine for the command line: findings, and writing in single commits.
//
// This package is flags, exit statuses, wiring and words on a terminal. It has
// no opinion about memories: what is true of them is found out in the rooms
// below it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	collectLate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ui := newUI(os.Stdin, os.Stdout, os.Stderr)
	status := run(ctx, ui, os.Args[1:])
	stop()
	os.Exit(status)
}

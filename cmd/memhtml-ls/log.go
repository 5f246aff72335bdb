package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
)

// logger is the log of a subcommand that a person waits for: what the engine
// warns of becomes a note. The server has a log proper.
func (u *ui) logger() *slog.Logger { return slog.New(&notes{ui: u}) }

// notes is a slog.Handler that writes one sentence for each warning. Errors are
// told even with --quiet.
type notes struct {
	ui *ui
	mu sync.Mutex
}

func (n *notes) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && (level >= slog.LevelError || !n.ui.quiet)
}

func (n *notes) Handle(_ context.Context, record slog.Record) error {
	var cause string
	record.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "err" {
			cause = ": " + oneLine(attr.Value.String())
		}
		return true
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	_, err := fmt.Fprintf(n.ui.err, "Note: %s%s\n", record.Message, cause)
	return err
}

func (n *notes) WithAttrs([]slog.Attr) slog.Handler {
	return n
}

func (n *notes) WithGroup(string) slog.Handler { return n }

// oneLine keeps a cause of several lines from breaking the note.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

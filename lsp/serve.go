package lsp

import (
	"context"
	"io"
	"log/slog"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// Options are what the command line and tests decide. The zero Options are
// right for an editor.
type Options struct {
	// Logger receives what goes wrong; nil discards it.
	Logger *slog.Logger
	// Level is the level of Logger, which the setting log.level changes; nil
	// leaves it alone.
	Level *slog.LevelVar
	// Version is told to the client.
	Version string
	// Debounce is the quiet time after the last keystroke before findings that
	// need other files appear or go; 0 leaves it to the settings.
	Debounce time.Duration
	// IndexWait is how long a request waits for the first index of a small root;
	// 0 is 2 s.
	IndexWait time.Duration
	// WatchdogTick is the time between two looks at the editor's process; 0 is
	// 5 s.
	WatchdogTick time.Duration
	// ProgressAfter is how long the first index may take unannounced; 0 is
	// 300 ms.
	ProgressAfter time.Duration
	// SettingsWait is how long the first findings of a root wait for the client to
	// tell its settings, so that they do not change before the person's eyes; 0 is
	// 500 ms.
	SettingsWait time.Duration
	// CallTimeout is how long the client may take to answer; 0 is 5 s.
	CallTimeout time.Duration
	// RepollWait is how long a client that asks for the workspace's findings may
	// take to ask again before it is told to; 0 is 3 s.
	RepollWait time.Duration
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	for field, value := range map[*time.Duration]time.Duration{
		&o.IndexWait: 2 * time.Second, &o.WatchdogTick: watchdogTick, &o.ProgressAfter: 300 * time.Millisecond,
		&o.CallTimeout: 5 * time.Second, &o.SettingsWait: 500 * time.Millisecond,
		&o.RepollWait: 3 * time.Second,
	} {
		if *field == 0 {
			*field = value
		}
	}
	return o
}

// The bounds of an end. Together with what a commit under way takes they keep it
// under 10 s.
const (
	// answerGrace is how long requests that were read before the end may still
	// take to be answered.
	answerGrace = 5 * time.Second
	// readPause is how long a client may read nothing of what is left for it.
	readPause = 2 * time.Second
)

// Serve speaks the Language Server Protocol on in and out until the client
// says exit, its input ends, its process is gone, or ctx ends. It returns the
// exit status of the process: 0 after shutdown and exit, else 1. Requests that
// were read before are answered first, for at most 5 s, and when ctx ends with
// their cancellation; a commit that is being made is finished or undone, and
// answered. in is not closed and may be left with a Read pending, and out with a
// Write when nobody reads it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options Options) (exitCode int) {
	options = options.withDefaults()
	work, stop := context.WithCancel(ctx)
	defer stop()
	s := newServer(work, options)
	wire := newStream(newPipe(in), options.Logger)
	go wire.deliver(out)
	conn := jsonrpc2.NewConn(wire, jsonrpc2.WithCodec(codec{}))
	s.client = &client{conn: conn, timeout: options.CallTimeout, log: options.Logger}
	conn.Go(context.WithoutCancel(ctx), chain(work, s))
	code := s.waitForEnd(ctx, wire)
	s.endPulls()
	wire.hurry()
	if ctx.Err() == nil {
		wire.answered(ctx, answerGrace)
	}
	stop()
	wire.answered(context.WithoutCancel(ctx), answerGrace)
	// Handlers start background work, so they are waited for first.
	if err := conn.Close(); err != nil {
		options.Logger.Debug("closing the connection", "error", err)
	}
	s.background.Wait()
	s.close()
	if !wire.flush(readPause) {
		options.Logger.Warn("the client does not read what is left for it")
	}
	return code
}

// waitForEnd returns the exit status once the conversation is over.
func (s *server) waitForEnd(ctx context.Context, wire *stream) int {
	select {
	case code := <-s.life.exit:
		return code
	case <-ctx.Done():
		return 1
	case <-wire.over:
	}
	select {
	case code := <-s.life.exit:
		return code
	default:
		return 1
	}
}

// newPipe copies in to the returned reader. Closing that ends a pending Read at
// once, which closing the process's standard input does not.
func newPipe(in io.Reader) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		// The reader sees the end only when it has taken everything before it.
		w.CloseWithError(err)
	}()
	return r
}

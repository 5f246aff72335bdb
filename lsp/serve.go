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
	// Version is told to the client.
	Version string
	// Debounce is the quiet time after the last keystroke before findings that
	// need other files appear or go; 0 is 250 ms.
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
	// CallTimeout is how long the client may take to answer; 0 is 5 s.
	CallTimeout time.Duration
}

// withDefaults fills in what is zero.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	for field, value := range map[*time.Duration]time.Duration{
		&o.Debounce: 250 * time.Millisecond, &o.IndexWait: 2 * time.Second,
		&o.WatchdogTick: watchdogTick, &o.ProgressAfter: 300 * time.Millisecond,
		&o.CallTimeout: 5 * time.Second,
	} {
		if *field == 0 {
			*field = value
		}
	}
	return o
}

// Serve speaks the Language Server Protocol on in and out until the client
// says exit, its input ends, its process is gone, or ctx ends. It returns the
// exit status of the process: 0 after shutdown and exit, else 1. A commit that
// is being made is finished or undone first. in is not closed and may be left
// with a Read pending.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options Options) (exitCode int) {
	options = options.withDefaults()
	work, stop := context.WithCancel(ctx)
	defer stop()
	s := newServer(work, options)
	conn := jsonrpc2.NewConn(jsonrpc2.NewStream(newPipe(in, out, stop)), jsonrpc2.WithCodec(codec{}))
	s.client = &client{conn: conn, timeout: options.CallTimeout, log: options.Logger}
	conn.Go(context.WithoutCancel(ctx), chain(work, s))
	code := s.waitForEnd(ctx, conn)
	stop()
	// Handlers start background work, so they are waited for first.
	if err := conn.Close(); err != nil {
		options.Logger.Debug("closing the connection", "error", err)
	}
	s.background.Wait()
	s.close()
	return code
}

// waitForEnd returns the exit status once the conversation is over.
func (s *server) waitForEnd(ctx context.Context, conn jsonrpc2.Conn) int {
	select {
	case code := <-s.life.exit:
		return code
	case <-ctx.Done():
		return 1
	case <-conn.Done():
	case <-s.work.Done():
	}
	select {
	case code := <-s.life.exit:
		return code
	case <-conn.Done():
	case <-time.After(endGrace):
	}
	select {
	case code := <-s.life.exit:
		return code
	default:
		return 1
	}
}

// endGrace is how long messages that were already read, an exit among them,
// are still handled after the input has ended.
const endGrace = 500 * time.Millisecond

// pipe is the connection's transport. Closing it ends a pending Read at once,
// which closing the process's standard input does not.
type pipe struct {
	*io.PipeReader
	out io.Writer
}

// newPipe copies in to the returned transport, and calls ended when in is at
// its end: handlers of a client that is gone have nobody to answer.
func newPipe(in io.Reader, out io.Writer, ended func()) pipe {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		// The reader sees the end only when it has taken everything before it.
		w.CloseWithError(err)
		ended()
	}()
	return pipe{r, out}
}

// Write implements [io.Writer].
func (p pipe) Write(b []byte) (int, error) { return p.out.Write(b) }

package main

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"os"
	"runtime"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

const serveAbout = `
Is the language server: an editor starts it and speaks the Language Server
Protocol with it over standard input and output. The log goes to standard error,
or to --log-file.
`

func serveCommand() command {
	return command{
		name: "serve", args: "[--stdio]", short: "be the language server of an editor", about: serveAbout,
		setup: func(flags *flag.FlagSet) action {
			flags.Bool("stdio", true, "speak over standard input and output; there is no other way")
			options := &serveOptions{level: "warn"}
			flags.Var(&choice{&options.level, []string{"debug", "info", "warn", "error"}}, "log-level", "log this `level` and worse")
			flags.StringVar(&options.file, "log-file", "", "append the log to `FILE`")
			return options.run
		},
	}
}

// serveOptions are the flags of serve.
type serveOptions struct{ level, file string }

func (o *serveOptions) run(ctx context.Context, c *call) error {
	log, level, closeLog, err := o.logger(c.ui.err)
	if err != nil {
		return err
	}
	defer closeLog()
	if c.ui.inTerminal {
		c.ui.note("serve waits for an editor to speak to it; memhtml-ls --help tells what else there is.")
	}
	shareProcessors()
	status := lsp.Serve(ctx, c.ui.in, c.ui.stdout, lsp.Options{Logger: log, Level: level, Version: buildVersion().Version})
	if status != statusDone {
		return answer(status)
	}
	return nil
}

// waiters is how many more goroutines run at a time than there are processors.
const waiters = 2

// shareProcessors lets the operating system decide who runs. Where background work
// holds every processor of Go's own scheduler, a message that has arrived is seen
// only when one of them pauses, which takes up to 10 ms for each goroutine on its
// way; the operating system lets who has slept run at once.
func shareProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + waiters)
	}
}

func (o *serveOptions) logger(stderr io.Writer) (*slog.Logger, *slog.LevelVar, func(), error) {
	level := &slog.LevelVar{}
	if err := level.UnmarshalText([]byte(o.level)); err != nil {
		return nil, nil, nil, err
	}
	out, done := stderr, func() {}
	if o.file != "" {
		file, err := os.OpenFile(o.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, nil, failure.New(failure.Storage, "The log file %s cannot be written.", diagnostics.Shown(o.file)).Wrap(err)
		}
		out, done = file, func() { file.Close() }
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})), level, done, nil
}

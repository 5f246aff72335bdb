package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/mattn/go-isatty"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// Rules of speech:
//
//   - Standard output carries what was asked for and nothing else: a report, a
//     result, a page, or the frames of the protocol.
//   - Everything else goes to standard error: refusals, notes, the log, the
//     progress line, which only a terminal gets to see.
//   - A refusal is one line of plain sentences: what was refused, then what to
//     do. It has no prefix, no code and no blame; --format json has the code.
//   - A note is something to know although it is done; it begins with "Note:".
//   - With --format json a refusal is an envelope on standard output, so that a
//     caller reads one stream, and standard error stays as it is.
//   - Colour only marks what words say already, and only on a terminal.
//   - What was not looked at is said to be so; silence means: nothing found.

// The exit statuses (cli.md).
const (
	statusDone    = 0
	statusNo      = 1 // it ran, and the answer is no
	statusUsage   = 2
	statusUnable  = 3
	statusStopped = 130 // as shells report an interrupt
)

// ui is where a run of the program speaks and listens.
type ui struct {
	in io.Reader
	// out is buffered, so that a reader who goes away early is noticed when
	// everything is closed and written, not in the middle.
	out *bufio.Writer
	// stdout is what out writes to, for the protocol, which buffers nothing.
	stdout io.Writer
	err    io.Writer
	// The terminals say that a person is at the other end of the stream.
	inTerminal, outTerminal, errTerminal bool
	colour                               bool
	quiet, json                          bool
}

func newUI(in, out, err *os.File) *ui {
	u := &ui{
		in: in, out: bufio.NewWriterSize(out, 64<<10), stdout: out, err: err,
		inTerminal: isatty.IsTerminal(in.Fd()), outTerminal: isatty.IsTerminal(out.Fd()), errTerminal: isatty.IsTerminal(err.Fd()),
	}
	u.colour = u.outTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return u
}

// printf writes a part of the result. A failed write is found by flush.
func (u *ui) printf(format string, args ...any) { fmt.Fprintf(u.out, format, args...) }

// say writes the one line of a result that only confirms; --quiet drops it.
func (u *ui) say(format string, args ...any) {
	if !u.quiet {
		u.printf(format+"\n", args...)
	}
}

// note tells something to know although the work is done.
func (u *ui) note(format string, args ...any) {
	if !u.quiet {
		fmt.Fprintf(u.err, "Note: "+format+"\n", args...)
	}
}

// envelope writes a JSON result.
func (u *ui) envelope(e session.Envelope) { _ = e.WriteJSON(u.out) }

// refuse tells why nothing was done, in the form that was asked for.
func (u *ui) refuse(err error) {
	refusal := session.Refusal(err)
	if refusal.Code == failure.Unknown {
		// Nobody foresaw it: the words of the cause are all there is to go by, and
		// standard error is the log that the envelope speaks of.
		u.logger().Error("the cause", "err", err)
	}
	if u.json {
		u.envelope(refusal)
		return
	}
	// What was typed is repeated in some of them.
	fmt.Fprintln(u.err, diagnostics.Shown(refusal.Sentences()+systemCause(err)))
}

// systemCause is what the operating system said, such as a full disk. It is the
// one cause that is shown: others may carry texts that are not for the screen.
func systemCause(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) || errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return " (" + errno.Error() + ")"
}

// flush hands the result over. A reader who has gone away is no failure of
// ours: on Unix the signal has ended the process before this returns.
func (u *ui) flush(status int) int {
	err := u.out.Flush()
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return status
	default:
		fmt.Fprintln(u.err, "The result could not be written to standard output.")
		return statusUnable
	}
}

// The styles of paint, as numbers of the terminal.
const (
	bold = "1"
	dim  = "2"
	red  = "31"
	// green and the others are the terminal's own shades, so that they suit its
	// background.
	green  = "32"
	yellow = "33"
	blue   = "34"
)

func (u *ui) paint(style, text string) string {
	if !u.colour || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// answer is an exit status that needs no more words: the result says it.
type answer int

func (answer) Error() string { return "the answer is no" }

// finish turns how a subcommand ended into words and an exit status.
func (u *ui) finish(stopped bool, err error) int {
	var said answer
	switch {
	case err == nil:
		return u.flush(statusDone)
	case errors.As(err, &said):
		return u.flush(int(said))
	case stopped:
		return u.flush(statusStopped)
	default:
		u.refuse(err)
		return u.flush(statusOf(err))
	}
}

// refusedError marks a failure that is the answer to what was asked: the
// command ran, and said no.
type refusedError struct{ error }

func (r refusedError) Unwrap() error { return r.error }

// statusOf is the exit status of a failure.
func statusOf(err error) int {
	var refused refusedError
	switch failure.CodeOf(err) {
	case failure.UnknownCommand, failure.MissingArgument, failure.InvalidFlag:
		return statusUsage
	case failure.Storage, failure.Git, failure.UnsupportedRepository, failure.Unknown,
		failure.Cancelled, failure.IndexStale:
		return statusUnable
	case failure.PathNotFound, failure.ModelUnavailable, failure.EmbedModelMismatch:
		if errors.As(err, &refused) {
			return statusNo
		}
		return statusUnable
	default:
		return statusNo
	}
}

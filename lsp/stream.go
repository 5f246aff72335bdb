package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

const (
	// queueLimit is how many bytes may wait for a client that does not read;
	// whoever sends more waits for it.
	queueLimit = 16 << 20
	// unansweredLimit is how many requests are worked on at a time; more are not
	// read.
	unansweredLimit = 1024
	// writeChunk is how much is written at a time, so that a client that reads
	// slowly is told from one that does not.
	writeChunk = 64 << 10
)

// stream carries messages for the library, in its place and for three reasons.
// A message that is none is answered, where the library ends the session. What
// is sent is queued, so that a client that does not read keeps nobody from
// ending. And it knows how many requests are unanswered, so that the end can
// wait for them.
type stream struct {
	in     *bufio.Reader
	closer io.Closer
	log    *slog.Logger
	// over is closed when the input has ended or writing failed; closed when nobody reads it any
	// more. The library gets to know of the end only then, because from that
	// moment it sends no answer.
	over, closed chan struct{}
	overOnce     sync.Once
	closeOnce    sync.Once

	mu sync.Mutex // guards everything below
	// changed is closed and replaced when anything below changes.
	changed    chan struct{}
	unanswered int
	queue      [][]byte
	queued     int
	// written counts bytes, to see whether the client reads.
	written int64
	// ending says that nobody waits for the client any more; deaf that writing
	// to it failed.
	ending, deaf bool
}

func newStream(in io.ReadCloser, log *slog.Logger) *stream {
	return &stream{
		in: bufio.NewReader(in), closer: in, log: log,
		over: make(chan struct{}), closed: make(chan struct{}), changed: make(chan struct{}),
	}
}

// change does something to the guarded fields and wakes those who wait.
func (s *stream) change(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
	close(s.changed)
	s.changed = make(chan struct{})
}

// wait returns true when cond, which is asked under mu, holds, and false when
// the time is up; nil is no limit.
func (s *stream) wait(limit <-chan struct{}, cond func() bool) bool {
	for {
		s.mu.Lock()
		holds, changed := cond(), s.changed
		s.mu.Unlock()
		if holds {
			return true
		}
		select {
		case <-changed:
		case <-limit:
			return false
		}
	}
}

// Read implements [jsonrpc2.Stream]. It returns an error only after Close.
func (s *stream) Read(context.Context) (jsonrpc2.Message, int64, error) {
	for {
		s.wait(nil, func() bool { return s.unanswered < unansweredLimit || s.ending })
		body, err := readFrame(s.in)
		if err != nil {
			return nil, 0, s.end(err)
		}
		message, err := jsonrpc2.DecodeMessage(body)
		if err != nil {
			s.reject(body, err)
			continue
		}
		if _, call := message.(*jsonrpc2.Call); call {
			s.change(func() { s.unanswered++ })
		}
		return message, int64(len(body)), nil
	}
}

// end tells of the end of input, and why if it is not the client's, and returns
// when the stream is closed.
func (s *stream) end(err error) error {
	if errors.Is(err, errHeader) {
		s.log.Error("the session ends: a message has no proper header", "error", err)
	}
	s.overOnce.Do(func() { close(s.over) })
	<-s.closed
	return err
}

// reject answers a message that is none, unless it answers something itself.
func (s *stream) reject(body []byte, err error) {
	s.log.Warn("a message that is none", "bytes", len(body), "error", err)
	var members map[string]json.RawMessage
	answer := jsonrpc2.NewError(jsonrpc2.ParseError, "the message is not JSON")
	if json.Valid(body) {
		answer = jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the message is not a request")
		_ = json.Unmarshal(body, &members)
	}
	_, asks := members["method"]
	_, gives := members["result"]
	_, fails := members["error"]
	if !asks && (gives || fails) {
		return
	}
	s.send(mustMarshal(struct {
		Version string  `json:"jsonrpc"`
		ID      *string `json:"id"`
		Error   any     `json:"error"`
	}{"2.0", nil, struct {
		Code    jsonrpc2.Code `json:"code"`
		Message string        `json:"message"`
	}{answer.Code, answer.Message}}))
}

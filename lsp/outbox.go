package lsp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// answerPrefix is how the library begins an answer, and nothing else.
const answerPrefix = `{"jsonrpc":"2.0","id":`

// Write implements [jsonrpc2.Stream]. It waits only while too much is queued,
// and for nothing once the end is near. It never fails: a client that is gone is
// noticed by its silence.
func (s *stream) Write(_ context.Context, message jsonrpc2.Message) (int64, error) {
	body, err := jsonrpc2.EncodeMessage(message)
	if err != nil {
		return 0, err
	}
	// The client's own id may hold bytes that no JSON may.
	s.send(bytes.ToValidUTF8(body, []byte("\uFFFD")))
	return int64(len(body)), nil
}

// send queues one message.
func (s *stream) send(body []byte) {
	frame := append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
	s.wait(nil, func() bool { return s.queued < queueLimit || s.ending || s.deaf })
	s.change(func() {
		if bytes.HasPrefix(body, []byte(answerPrefix)) && !bytes.HasPrefix(body[len(answerPrefix):], []byte("null")) {
			s.unanswered--
		}
		if !s.deaf {
			s.queue = append(s.queue, frame)
			s.queued += len(frame)
		}
	})
}

// deliver writes what is queued to out until the stream is closed and the queue
// empty. It may be left behind in a Write that never returns.
func (s *stream) deliver(out io.Writer) {
	for {
		var frame []byte
		s.wait(nil, func() bool { return len(s.queue) > 0 || s.isClosed() })
		s.mu.Lock()
		if len(s.queue) > 0 {
			frame = s.queue[0]
		}
		s.mu.Unlock()
		if frame == nil {
			return
		}
		err := s.writeFrame(out, frame)
		s.change(func() {
			s.queue, s.queued = s.queue[1:], s.queued-len(frame)
			if err != nil {
				s.queue, s.queued, s.deaf = nil, 0, true
			}
		})
		if err != nil {
			s.log.Debug("not sent", "error", err)
			s.overOnce.Do(func() { close(s.over) })
			return
		}
	}
}

func (s *stream) writeFrame(out io.Writer, frame []byte) error {
	for len(frame) > 0 {
		n, err := out.Write(frame[:min(len(frame), writeChunk)])
		if err != nil {
			return err
		}
		frame = frame[n:]
		s.change(func() { s.written += int64(n) })
	}
	return nil
}

func (s *stream) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// answered waits until every request that was read is answered, at most so long
// and until ctx ends.
func (s *stream) answered(ctx context.Context, atMost time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	s.wait(ctx.Done(), func() bool { return s.unanswered == 0 })
}

// hurry says that from now on nobody waits for the client to read.
func (s *stream) hurry() { s.change(func() { s.ending = true }) }

// flush waits until everything is written, as long as the client reads: pause is
// how long it may read nothing.
func (s *stream) flush(pause time.Duration) bool {
	for {
		s.mu.Lock()
		before := s.written
		s.mu.Unlock()
		limit, cancel := context.WithTimeout(context.Background(), pause)
		empty := false
		moved := s.wait(limit.Done(), func() bool { empty = s.queued == 0; return empty || s.written != before })
		cancel()
		if empty || !moved {
			return moved
		}
	}
}

// Close implements [jsonrpc2.Stream]. What is queued is still written.
func (s *stream) Close() (err error) {
	s.closeOnce.Do(func() {
		s.change(func() { s.ending = true; close(s.closed) })
		err = s.closer.Close()
	})
	return err
}

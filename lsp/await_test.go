package lsp

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// A request waits for the first index of a small root and is told how far that
// of a large one is.
func TestAwait(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name  string
		ctx   context.Context
		total int64
		wait  time.Duration
		ready bool
		code  failure.Code
		is    error
	}{
		{name: "indexed", ctx: t.Context(), total: 9, wait: time.Hour, ready: true},
		{name: "a large root", ctx: t.Context(), total: 2000, wait: time.Hour, code: failure.IndexStale},
		{name: "a small root that takes long", ctx: t.Context(), total: 1999, wait: time.Nanosecond, code: failure.IndexStale},
		{name: "cancelled while waiting", ctx: cancelled, total: 9, wait: time.Hour, is: context.Canceled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &server{options: Options{IndexWait: test.wait}, log: slog.New(slog.DiscardHandler)}
			r := &root{ready: make(chan struct{})}
			r.indexing.total.Store(test.total)
			if test.ready {
				close(r.ready)
			}
			err := s.await(test.ctx, r)
			switch {
			case test.is != nil && !errors.Is(err, test.is),
				test.code != "" && failure.CodeOf(err) != test.code,
				test.is == nil && test.code == "" && err != nil:
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAwaitEndsWithTheIndex(t *testing.T) {
	s := &server{options: Options{IndexWait: time.Hour}}
	r := &root{ready: make(chan struct{})}
	go close(r.ready)
	if err := s.await(t.Context(), r); err != nil {
		t.Error(err)
	}
}

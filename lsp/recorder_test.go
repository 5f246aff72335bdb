package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"

	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// recorder is a connection that keeps what is notified and answers every call
// with nothing.
type recorder struct{ notified *[]any }

func (r *recorder) Call(context.Context, string, any, any) (jsonrpc2.ID, error) {
	return jsonrpc2.ID{}, nil
}

func (r *recorder) Notify(_ context.Context, _ string, params any) error {
	*r.notified = append(*r.notified, params)
	return nil
}

func (r *recorder) Go(context.Context, jsonrpc2.Handler) {}
func (r *recorder) Close() error                         { return nil }
func (r *recorder) Done() <-chan struct{}                { return nil }
func (r *recorder) Err() error                           { return nil }

func textEditOf(start, end int, text string) session.TextEdit {
	return session.TextEdit{Span: memory.Span{Start: start, End: end}, New: text}
}

package lsp

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// client is the other end of the connection. Its calls are made only from
// handlers that let go of the order, and from background work: the answer is
// read by the goroutine that would otherwise wait for it.
type client struct {
	conn    jsonrpc2.Conn
	timeout time.Duration
	log     *slog.Logger
}

// call asks the client and waits at most the timeout. A client that never
// answers, or says no, costs what was asked for and nothing else: the error is
// for the caller to go on without.
func (c *client) call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	_, err := c.conn.Call(ctx, method, params, result)
	if err != nil && !errors.Is(err, context.Canceled) {
		c.log.Warn("the client did not do what it was asked", "method", method, "error", err)
	}
	return err
}

// notify tells the client. A connection that is gone is noticed elsewhere.
func (c *client) notify(method string, params any) {
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.log.Debug("not sent", "method", method, "error", err)
	}
}

// show shows a message to the person.
func (c *client) show(kind protocol.MessageType, text string) {
	c.notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: kind, Message: text})
}

// progress sends one $/progress value.
func (c *client) progress(token protocol.ProgressToken, value any) {
	raw, err := protocol.Marshal(value)
	if err != nil {
		c.log.Error("progress", "error", err)
		return
	}
	c.notify(protocol.MethodProgress, &protocol.ProgressParams{Token: token, Value: raw})
}

// rawJSON marshals plain data as a protocol value.
func rawJSON(v any) protocol.LSPAny { return protocol.LSPAny(mustMarshal(v)) }

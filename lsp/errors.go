package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// Errors that requests are answered with. The texts never carry what a person
// wrote.
var (
	errNotInitialized  = jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, "the server is not initialized yet")
	errShutDown        = jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shut down")
	errInitializeTwice = jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is initialized already")
	errInternal        = jsonrpc2.NewError(jsonrpc2.InternalError, "internal error; the server's log has the details")
)

// errServerCancelled says that findings cannot be had now; retry whether the
// client is to ask again.
func errServerCancelled(retry bool) error {
	err := jsonrpc2.NewError(jsonrpc2.Code(protocol.LSPErrorCodesServerCancelled), "no findings at the moment")
	err.Data = mustMarshal(protocol.DiagnosticServerCancellationData{RetriggerRequest: retry})
	return err
}

// requestFailed is the code of a request that was right but could not be done.
const requestFailed = jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed)

// invalidParams says that params do not decode.
func invalidParams(err error) error {
	return &cause{jsonrpc2.NewError(jsonrpc2.InvalidParams, "the parameters do not decode"), err}
}

// cause is an answer with the reason that only the log learns.
type cause struct {
	answer *jsonrpc2.Error
	err    error
}

func (c *cause) Error() string { return c.answer.Message }
func (c *cause) Unwrap() []error {
	return []error{c.answer, c.err}
}

// answerFor turns what a handler returned into the error that is sent.
func answerFor(err error) *jsonrpc2.Error {
	var wire *jsonrpc2.Error
	var refused *failure.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return protocol.ErrRequestCancelled
	case errors.Is(err, jsonrpc2.ErrParse):
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, "the parameters do not decode")
	case errors.As(err, &wire):
		return wire
	case errors.As(err, &refused):
		return jsonrpc2.NewError(requestFailed, refused.Message)
	default:
		return errInternal
	}
}

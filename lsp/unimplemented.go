package lsp

import (
	"context"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// unimplemented answers every method that this server does not have. The
// assertion below breaks the build when the protocol grows a method, so that
// somebody decides about it.
type unimplemented struct{ protocol.UnimplementedServer }

var _ protocol.Server = (*server)(nil)

// Request answers methods that no version of the protocol knows. Notifications
// among them, such as "$/anything", are ignored by the guard stage.
func (unimplemented) Request(context.Context, string, any) (any, error) {
	return nil, jsonrpc2.ErrMethodNotFound
}

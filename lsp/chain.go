package lsp

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// chain is the handler of a connection, outermost stage first:
//
//	guard      a notification never fails, whatever happened to it
//	answer     panics are caught, errors become answers, both are logged
//	cancel     $/cancelRequest ends the context of the request it names
//	lifecycle  nothing before initialize, nothing after shutdown
//	own        the messages that the library would decode too strictly
//	dispatch   everything else, by the library
//
// work ends when the client is gone or the server stops, and with it every
// running handler.
func chain(work context.Context, s *server) jsonrpc2.Handler {
	dispatch := protocol.ServerHandler(s, nil)
	running := &running{work: work, late: s.cancelled, cancels: map[jsonrpc2.ID]context.CancelFunc{}}
	return guard(answer(s.log, running.cancellable(lifecycle(s, own(s, dispatch)))))
}

// guard keeps errors of notifications from the connection, which would end
// over them.
func guard(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		result, err := next(ctx, req)
		if req.IsCall() {
			return result, err
		}
		return nil, nil
	}
}

// answer catches panics and maps errors. Only the log learns their causes.
func answer(log *slog.Logger, next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
		method := strings.Clone(req.Method())
		defer func() {
			if p := recover(); p != nil {
				log.Error("panic in a handler", "method", method, "panic", p, "stack", string(debug.Stack()))
				result, err = nil, errInternal
			}
		}()
		result, err = next(ctx, req)
		if err == nil {
			return result, nil
		}
		mapped := answerFor(err)
		log.Debug("not done", "method", method, "code", mapped.Code, "cause", causeOf(err))
		return nil, mapped
	}
}

// causeOf returns what the log is told about err.
func causeOf(err error) error {
	if c, ok := err.(*cause); ok {
		return c.err
	}
	return err
}

// running are the requests that are being handled.
type running struct {
	work context.Context
	// late is told of a cancellation that may have come after the answer.
	late func(jsonrpc2.ID)

	mu      sync.Mutex // guards cancels
	cancels map[jsonrpc2.ID]context.CancelFunc
}

// requestContext is the context of a handler. It ends with the work or when the
// request is cancelled; from the library's own context it takes only the values
// that [async] needs. That context is used again for other requests once its
// handler has returned, which a child made by context.WithCancel does not
// survive: the goroutine that watches the parent may look at it too late.
type requestContext struct {
	context.Context
	request context.Context
}

// Value implements [context.Context].
func (c requestContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.request.Value(key)
}

// cancellable gives every handler a context of its own and ends it when the
// client says so. What the handler still answers is the cancellation.
func (r *running) cancellable(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		if req.Method() == protocol.MethodCancelRequest {
			r.cancel(req.Params())
			return nil, nil
		}
		own, cancel := context.WithCancel(r.work)
		defer cancel()
		if req.IsCall() {
			id := req.ID()
			r.set(id, cancel)
			defer r.set(id, nil)
		}
		result, err := next(requestContext{own, ctx}, req)
		if err != nil && own.Err() != nil {
			err = protocol.ErrRequestCancelled
		}
		return result, err
	}
}

// set notes how to cancel a request; nil forgets it.
func (r *running) set(id jsonrpc2.ID, cancel context.CancelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel == nil {
		delete(r.cancels, id)
		return
	}
	r.cancels[id] = cancel
}

// cancel cancels the request that params name, if it is being handled.
func (r *running) cancel(params []byte) {
	var p struct{ ID any }
	if decode(params, &p) != nil {
		return
	}
	var id jsonrpc2.ID
	switch name := p.ID.(type) {
	case float64:
		id = jsonrpc2.NewNumberID(int64(name))
	case string:
		id = jsonrpc2.NewStringID(name)
	default:
		return
	}
	r.mu.Lock()
	cancel := r.cancels[id]
	r.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	r.late(id)
}

// phase is how far the conversation is.
type phase int

const (
	created phase = iota
	initialized
	shutDown
)

// life holds the phase of one conversation and the end of it.
type life struct {
	mu    sync.Mutex // guards phase
	phase phase
	// exit receives the exit status once the client said exit.
	exit chan int
}

func (l *life) get() phase {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase
}

// advance moves from one phase to the next, or reports that it was not in it.
func (l *life) advance(from, to phase) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase != from {
		return false
	}
	l.phase = to
	return true
}

// lifecycle answers initialize, shutdown and exit, and lets others through only
// between them. shutdown and exit are answered here so that neither a
// cancelled context nor a busy server keeps an editor from closing.
func lifecycle(s *server, next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		switch method := req.Method(); {
		case method == protocol.MethodExit:
			return nil, s.Exit(ctx)
		case method == protocol.MethodInitialize && s.life.get() == created:
			return next(ctx, req)
		case method == protocol.MethodInitialize:
			return nil, errInitializeTwice
		case s.life.get() == created:
			return nil, errNotInitialized
		case s.life.get() == shutDown:
			return nil, errShutDown
		case method == protocol.MethodShutdown:
			return nil, s.Shutdown(ctx)
		default:
			return next(ctx, req)
		}
	}
}

// dispatched are the methods that the library decodes and hands to the server.
// Everything else is unknown without a look at its params, which the library
// would fail over where they are absent.
var dispatched = map[string]bool{
	protocol.MethodInitialize:                         true,
	protocol.MethodSetTrace:                           true,
	protocol.MethodCodeActionResolve:                  true,
	protocol.MethodWorkspaceDidChangeWatchedFiles:     true,
	protocol.MethodWorkspaceDidChangeWorkspaceFolders: true,
}

// own handles the messages that are decoded here and not by the library: it
// rewrites uris, takes "range": null for a change at 0:0, fails a whole
// codeAction over another extension's diagnostic, and initialized over params
// that say nothing.
func own(s *server, next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		switch method := req.Method(); {
		case method == protocol.MethodInitialized:
			return nil, s.Initialized(ctx, nil)
		case method == protocol.MethodTextDocumentDidOpen:
			return nil, s.didOpen(ctx, req.Params())
		case method == protocol.MethodTextDocumentDidChange:
			return nil, s.didChange(ctx, req.Params())
		case method == protocol.MethodTextDocumentDidSave:
			return nil, s.didSave(ctx, req.Params())
		case method == protocol.MethodTextDocumentDidClose:
			return nil, s.didClose(ctx, req.Params())
		case method == protocol.MethodWorkspaceDidChangeConfiguration:
			return nil, s.didChangeConfiguration(ctx, req.Params())
		case method == protocol.MethodTextDocumentCodeAction:
			return s.codeAction(ctx, req.Params())
		case method == protocol.MethodTextDocumentDiagnostic && s.pulled != nil:
			return s.documentDiagnostic(ctx, req.ID(), req.Params())
		case method == protocol.MethodWorkspaceDiagnostic && s.pulled != nil:
			return s.workspaceDiagnostic(ctx, req.Params())
		case method == protocol.MethodWorkspaceExecuteCommand:
			return s.executeCommand(ctx, req.Params())
		case dispatched[method]:
			return next(ctx, req)
		default:
			return nil, jsonrpc2.ErrMethodNotFound
		}
	}
}

// async lets later messages be handled beside the rest of the caller. It is
// called at most once in a handler, after its order-critical part.
func async(ctx context.Context) { jsonrpc2.Async(ctx) }

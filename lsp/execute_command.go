package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// arguments are the one argument of a server command (cli.md "Server side").
// Files are document uris.
type arguments struct {
	URI    string                 `json:"uri,omitempty"`
	Winner string                 `json:"winner,omitempty"`
	Loser  string                 `json:"loser,omitempty"`
	Reason string                 `json:"reason,omitempty"`
	Expect map[string]expectation `json:"expect,omitempty"`
}

// expectation is what the sender saw of a file.
type expectation struct {
	Version *int32 `json:"version,omitempty"`
	Hash    string `json:"hash,omitempty"`
}

// command runs one server command in a root. Its outcome has the data of the
// envelope and what the person is told.
type command func(ctx context.Context, s *server, r *root, args located) (outcomeOf, error)

// outcomeOf is what a command did.
type outcomeOf struct {
	kind string
	data any
	// message is shown to the person, empty for a command that only tells.
	message  string
	warnings []string
	// moved are the files that lie somewhere else now, by root-relative path.
	moved map[string]string
}

// commands are the server commands by name.
var commands = map[string]command{
	"memhtml.archive":   runArchive,
	"memhtml.supersede": runSupersede,
	"memhtml.status":    runStatus,
}

func commandNames() []string { return slices.Sorted(maps.Keys(commands)) }

// command is the protocol's form of an action that commits; the zero Command
// for one that does not.
func (v *documentView) command(action session.Action) protocol.Command {
	out := protocol.Command{Title: action.Title}
	var args arguments
	switch request := action.Request.(type) {
	case session.ArchiveRequest:
		out.Command = "memhtml.archive"
		args = arguments{URI: v.uri(request.Path), Reason: request.Reason, Expect: v.expect(request.Expect)}
	case session.SupersedeRequest:
		out.Command = "memhtml.supersede"
		args = arguments{Winner: v.uri(request.Winner), Loser: v.uri(request.Loser), Expect: v.expect(request.Expect)}
	default:
		return protocol.Command{}
	}
	out.Arguments = []protocol.LSPAny{rawJSON(args)}
	return out
}

func (v *documentView) uri(path string) string { return string(v.s.names.of(v.root.Abs(path))) }

func (v *documentView) expect(all session.Expectations) map[string]expectation {
	out := map[string]expectation{}
	for path, e := range all {
		wire := expectation{Version: e.Version}
		if e.Hash != nil {
			wire.Hash = e.Hash.String()
		}
		out[v.uri(path)] = wire
	}
	return out
}

// executeCommand answers workspace/executeCommand with an envelope. A refusal
// is an envelope too, and shown once.
func (s *server) executeCommand(ctx context.Context, params []byte) (any, error) {
	var p struct {
		Command   string
		Arguments []json.RawMessage
	}
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	async(ctx)
	done, err := s.run(ctx, p.Command, p.Arguments)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return s.refuse(p.Command, err), nil
	}
	if done.message != "" {
		s.client.show(protocol.MessageTypeInfo, done.message)
	}
	for _, warning := range done.warnings {
		s.client.show(protocol.MessageTypeWarning, warning)
	}
	s.start("show the new place", func(ctx context.Context) { s.follow(ctx, done) })
	return jsonrpc2.RawMessage(mustMarshal(session.Success(done.kind, done.data))), nil
}

// refuse shows a refusal and wraps it.
func (s *server) refuse(command string, err error) any {
	s.log.Info("refused", "command", command, "code", failure.CodeOf(err), "error", err)
	envelope := session.Refusal(err)
	text := strings.Join(append([]string{envelope.Error}, envelope.Suggestions...), " ")
	s.client.show(protocol.MessageTypeWarning, text)
	return jsonrpc2.RawMessage(mustMarshal(envelope))
}

// run finds the command and the root it is about, and runs it there.
func (s *server) run(ctx context.Context, name string, raw []json.RawMessage) (outcomeOf, error) {
	command, ok := commands[name]
	if !ok {
		return outcomeOf{}, failure.New(failure.UnknownCommand, "There is no command %s.", session.Shown(name)).
			Suggest("Use one of " + strings.Join(commandNames(), ", ") + ".")
	}
	var args arguments
	if len(raw) > 0 {
		if err := json.Unmarshal(raw[0], &args); err != nil {
			return outcomeOf{}, failure.New(failure.InvalidFlag, "The argument of %s is not one object of known fields.", name).Wrap(err)
		}
	}
	s.awaitFolders(ctx)
	r, where, err := s.locate(args)
	if err != nil {
		return outcomeOf{}, err
	}
	if err := s.await(ctx, r); err != nil {
		return outcomeOf{}, err
	}
	return command(ctx, s, r, where)
}

// located are arguments with paths of one root in place of uris.
type located struct {
	uri, winner, loser, reason string
	expect                     session.Expectations
}

// locate finds the one root of all files of the arguments. Arguments without a
// file are about the only root there is.
func (s *server) locate(args arguments) (*root, located, error) {
	l := locator{s: s}
	out := located{
		uri: l.path(args.URI), winner: l.path(args.Winner), loser: l.path(args.Loser),
		reason: args.Reason, expect: session.Expectations{},
	}
	for spelling, wire := range args.Expect {
		path := l.path(spelling)
		expectation, err := wire.read(path)
		if err != nil {
			return nil, out, err
		}
		out.expect[path] = expectation
	}
	if l.err != nil {
		return nil, out, l.err
	}
	if l.root == nil {
		l.root = s.onlyRoot()
	}
	if l.root == nil {
		return nil, out, failure.New(failure.MissingArgument, "It is not said which memory this is about.").
			Suggest("Pass one object with the document's uri.")
	}
	return l.root, out, nil
}

// locator turns uris into paths of one root, and keeps the first refusal.
type locator struct {
	s    *server
	root *root
	err  error
}

// path returns the path of a uri in the root of those before it, "" for "".
func (l *locator) path(spelling string) string {
	if spelling == "" {
		return ""
	}
	var r *root
	path := ""
	if abs, ok := pathOf(spelling); ok {
		r, path = l.s.rootOf(realPath(abs))
	}
	if (r == nil || l.root != nil && l.root != r) && l.err == nil {
		l.err = failure.New(failure.PathNotFound, "%s is not in an open memory root.", session.Shown(spelling)).
			Suggest("Name files of one memory root by their uris.")
	}
	l.root = r
	return path
}

// read turns an expectation into the session's.
func (e expectation) read(path string) (session.Expectation, error) {
	out := session.Expectation{Version: e.Version}
	if e.Hash == "" {
		return out, nil
	}
	hash, ok := memory.ParseHash(e.Hash)
	if !ok {
		return out, failure.New(failure.InvalidFlag, "The expected hash of %s is not a SHA-256.", session.Shown(path))
	}
	out.Hash = &hash
	return out, nil
}

// onlyRoot returns the open root if there is exactly one.
func (s *server) onlyRoot() *root {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.roots {
		if len(s.roots) == 1 {
			return r
		}
	}
	return nil
}

// missing refuses a command without one of its files.
func missing(name string) error {
	return failure.New(failure.MissingArgument, "The argument %q is missing.", name).
		Suggest("Pass it as a document uri.")
}

func runArchive(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	if args.uri == "" {
		return outcomeOf{}, missing("uri")
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Archive(ctx, session.ArchiveRequest{Path: args.uri, Reason: args.reason, Expect: args.expect})
	if err != nil {
		return outcomeOf{}, err
	}
	return outcomeOf{
		kind: "archive.result", data: result,
		message:  told("Archived", result.Path, result.Done),
		warnings: result.Warnings,
		moved:    map[string]string{r.Abs(result.Path): r.Abs(result.ArchivePath)},
	}, nil
}

func runSupersede(ctx context.Context, s *server, r *root, args located) (outcomeOf, error) {
	if args.winner == "" {
		return outcomeOf{}, missing("winner")
	}
	if args.loser == "" {
		return outcomeOf{}, missing("loser")
	}
	s.status(r, "writing")
	defer s.status(r, "idle")
	result, err := r.Supersede(ctx, session.SupersedeRequest{Winner: args.winner, Loser: args.loser, Expect: args.expect})
	if err != nil {
		return outcomeOf{}, err
	}
	moved := map[string]string{}
	for _, pair := range result.Archived {
		moved[r.Abs(pair.Loser)] = r.Abs(pair.ArchivePath)
	}
	return outcomeOf{
		kind: "supersede.result", data: result,
		message:  told("Superseded", args.loser, result.Done),
		warnings: result.Warnings, moved: moved,
	}, nil
}

func runStatus(ctx context.Context, _ *server, r *root, _ located) (outcomeOf, error) {
	status, err := r.Status(ctx)
	return outcomeOf{kind: "status.report", data: status}, err
}

// shortID is how many digits of a commit id a person is shown.
const shortID = 7

// told is the sentence after a commit (design.md §9). There is no "done"
// without a commit id.
func told(verb, path string, done session.Done) string {
	id := ""
	if done.Commit != nil {
		id = fmt.Sprintf(" (memhtml %.*s)", shortID, *done.Commit)
	}
	if done.Already {
		verb = "Already " + strings.ToLower(verb)
		return fmt.Sprintf("%s: %s%s.", verb, session.Shown(path), id)
	}
	return fmt.Sprintf("%s %s%s.", verb, session.Shown(path), id)
}

// follow offers the new place of files that the client has open.
func (s *server) follow(ctx context.Context, done outcomeOf) {
	if !s.capabilities.showDocument {
		return
	}
	for from, to := range done.moved {
		if _, open := s.documentOf(from); !open {
			continue
		}
		// A client that does not show it has said so in the log.
		_ = s.client.call(ctx, protocol.MethodWindowShowDocument,
			&protocol.ShowDocumentParams{URI: s.names.of(to), TakeFocus: ptr(false)}, nil)
	}
}

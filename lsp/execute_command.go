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

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/session"
)

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
	// undo is the argument of the memhtml.undo that takes it back, nil for what is
	// none of that.
	undo *undoing
	// events are what subscribers are told.
	events []memoryEvent
}

// commands are the server commands by name.
var commands = map[string]command{
	"memhtml.archive":         runArchive,
	"memhtml.supersede":       runSupersede,
	"memhtml.supersedeMany":   runSupersedeMany,
	"memhtml.status":          runStatus,
	"memhtml.write":           runWrite,
	"memhtml.apply":           runApply,
	"memhtml.update":          runUpdate,
	"memhtml.correct":         runCorrect,
	"memhtml.correctFromEdit": runCorrectFromEdit,
	"memhtml.link":            runLink,
	"memhtml.keepBoth":        runKeepBoth,
	"memhtml.merge":           runMerge,
	"memhtml.undo":            runUndo,
	"memhtml.show":            runShow,
}

// statusCommand is the one command of folders that nobody vouches for.
const statusCommand = "memhtml.status"

// commandNames are the commands that this client may execute.
func (s *server) commandNames() []string {
	if s.capabilities.untrusted {
		return []string{statusCommand}
	}
	return slices.Sorted(maps.Keys(commands))
}

// command is the protocol's form of an action that commits; the zero Command
// for one that does not.
func (v *documentView) command(action session.Action) protocol.Command {
	name, args := v.arguments(action.Request)
	if name == "" {
		return protocol.Command{}
	}
	if v.s.capabilities.prompts {
		args.Ask, args.Was = action.Ask, action.Claim
	}
	for _, path := range action.Unsaved {
		args.Save = append(args.Save, v.uri(path))
	}
	return protocol.Command{Title: action.Title, Command: name, Arguments: []protocol.LSPAny{rawJSON(args)}}
}

// arguments are the server command of a request and its argument.
func (v *documentView) arguments(request any) (string, arguments) {
	switch request := request.(type) {
	case session.ArchiveRequest:
		return "memhtml.archive", arguments{URI: v.uri(request.Path), Reason: request.Reason, Expect: v.expect(request.Expect)}
	case session.SupersedeRequest:
		return "memhtml.supersede", arguments{Winner: v.uri(request.Winner), Loser: v.uri(request.Loser), Expect: v.expect(request.Expect)}
	case session.CorrectRequest:
		return "memhtml.correct", arguments{Target: v.uri(request.Target), Expect: v.expect(request.Expect)}
	case session.CorrectFromEditRequest:
		return "memhtml.correctFromEdit", arguments{URI: v.uri(request.Path), Expect: v.expect(request.Expect)}
	case session.LinkRequest:
		return "memhtml.keepBoth", arguments{
			URI: v.uri(request.Source), Rel: request.Rel, Target: v.uri(request.Target), Expect: v.expect(request.Expect),
		}
	case session.MergeRequest:
		return "memhtml.merge", arguments{Keep: v.uri(request.Keep), Drop: v.uri(request.Drop), Expect: v.expect(request.Expect)}
	case session.CompareRequest:
		return compareCommand, arguments{URI: v.uri(request.Path), Target: v.uri(request.Other)}
	default:
		return "", arguments{}
	}
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
	if s.capabilities.outcomes {
		return s.told(done), nil
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
	if s.capabilities.outcomes {
		return jsonrpc2.RawMessage(mustMarshal(answered{envelope, &outcome{Message: envelope.Sentences()}}))
	}
	s.client.show(protocol.MessageTypeWarning, envelope.Sentences())
	return jsonrpc2.RawMessage(mustMarshal(envelope))
}

// run finds the command and the root it is about, and runs it there.
func (s *server) run(ctx context.Context, name string, raw []json.RawMessage) (outcomeOf, error) {
	run, ok := commands[name]
	if !ok {
		return outcomeOf{}, failure.New(failure.UnknownCommand, "There is no command %s.", diagnostics.Shown(name)).
			Suggest("Use one of " + strings.Join(s.commandNames(), ", ") + ".")
	}
	if s.capabilities.untrusted && name != statusCommand {
		return outcomeOf{}, failure.New(failure.Untrusted, "Nothing is done in a folder that you do not trust.").
			Suggest("Look at what is in it, and trust it in your editor if you want to work on it.")
	}
	if len(raw) > 1 {
		return outcomeOf{}, failure.New(failure.InvalidFlag, "%s takes one argument.", name).
			Suggest("Pass one object with everything in it.")
	}
	var args arguments
	if len(raw) > 0 {
		if err := refuseUnknown(name, raw[0]); err != nil {
			return outcomeOf{}, err
		}
		if err := json.Unmarshal(raw[0], &args); err != nil {
			return outcomeOf{}, failure.New(failure.InvalidFlag, "The argument of %s is not one object of known fields.", name).Wrap(err)
		}
	}
	if err := s.awaitFolders(ctx); err != nil {
		return outcomeOf{}, err
	}
	r, where, err := s.locate(args)
	if err != nil {
		return outcomeOf{}, err
	}
	if len(raw) > 0 {
		where.raw = raw[0]
	}
	if err := s.await(ctx, r); err != nil {
		return outcomeOf{}, err
	}
	done, err := run(ctx, s, r, where)
	if made, ok := done.data.(interface{ Made() string }); ok && made.Made() != "" {
		done.undo = &undoing{URI: string(s.names.of(r.Dir())), Commit: made.Made()}
	}
	s.announceChanges(r, done.events)
	return done, err
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
		return fmt.Sprintf("%s: %s%s.", verb, diagnostics.Shown(path), id)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s%s. %s", verb, diagnostics.Shown(path), id, done.Dangling.Sentence()))
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

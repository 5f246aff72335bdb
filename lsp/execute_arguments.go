package lsp

import (
	"encoding/json"
	"errors"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
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
	Target string                 `json:"target,omitempty"`
	Keep   string                 `json:"keep,omitempty"`
	Drop   string                 `json:"drop,omitempty"`
	Pairs  []session.Pair         `json:"pairs,omitempty"`
	Rel    string                 `json:"rel,omitempty"`
	Reason string                 `json:"reason,omitempty"`
	Expect map[string]expectation `json:"expect,omitempty"`
	// Ask names the field that the person is to be asked for, in the arguments
	// of an action for a client that says it can ask.
	Ask session.Asked `json:"ask,omitempty"`
	// Was is what stands there now, for who is asked; Save are the files that the
	// client saves before it executes the command, and says in Expect what they
	// hold then. Both are the client's and not read here.
	Was  string   `json:"was,omitempty"`
	Save []string `json:"save,omitempty"`
}

// expectation is what the sender saw of a file.
type expectation struct {
	Version *int32 `json:"version,omitempty"`
	Hash    string `json:"hash,omitempty"`
}

// located are arguments with paths of one root in place of uris.
type located struct {
	uri, winner, loser, target, keep, drop string
	pairs                                  []session.Pair
	rel, reason                            string
	expect                                 session.Expectations
	// raw is the whole object, for the fields of one command.
	raw json.RawMessage
}

// read takes the fields that only one command has from its argument object.
func (l located) read(command string, fields any) error {
	if len(l.raw) == 0 {
		return nil
	}
	err := json.Unmarshal(l.raw, fields)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return failure.New(failure.InvalidFlag, "The field %s of the argument of %s has a value of another kind.", camelCase(kind.Field), command).Wrap(err)
	}
	if err != nil {
		return failure.New(failure.InvalidFlag, "A field of the argument of %s has a value of another kind.", command).Wrap(err)
	}
	return nil
}

// behalf are the fields of a command that only says for whom it is done (M110).
type behalf struct{ SessionID, PromptID string }

// texts is a field that holds one text or a list of them.
type texts []string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *texts) UnmarshalJSON(value []byte) error {
	var one string
	switch {
	case string(value) == "null":
		return nil
	case json.Unmarshal(value, &one) == nil:
		*t = texts{one}
		return nil
	default:
		return json.Unmarshal(value, (*[]string)(t))
	}
}

// locate finds the one root of all files of the arguments. Arguments without a
// file are about the only root there is.
func (s *server) locate(args arguments) (*root, located, error) {
	l := locator{s: s}
	out := located{
		uri: l.path(args.URI), winner: l.path(args.Winner), loser: l.path(args.Loser),
		target: l.path(args.Target), keep: l.path(args.Keep), drop: l.path(args.Drop),
		rel: args.Rel, reason: args.Reason, expect: session.Expectations{},
	}
	for _, pair := range args.Pairs {
		out.pairs = append(out.pairs, session.Pair{Winner: l.path(pair.Winner), Loser: l.path(pair.Loser)})
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
		r, path = l.s.rootOf(namedPath(abs))
	}
	if (r == nil || l.root != nil && l.root != r) && l.err == nil {
		l.err = failure.New(failure.PathNotFound, "%s is not in an open memory root.", diagnostics.Shown(spelling)).
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
		return out, failure.New(failure.InvalidFlag, "The expected hash of %s is not a SHA-256.", diagnostics.Shown(path))
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

// need refuses arguments without a file: names and paths by turns.
func need(namesAndPaths ...string) error {
	for i := 0; i < len(namesAndPaths); i += 2 {
		if namesAndPaths[i+1] == "" {
			return missing(namesAndPaths[i])
		}
	}
	return nil
}

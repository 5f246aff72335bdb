package lsp

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/memhtml-ls/memhtml-ls/internal/settings"
)

// section is the name under which editors keep our settings.
const section = "memhtml"

// notSettings are names beside settings that are somebody else's: what the client
// asks for in initializationOptions, and what its extension keeps for itself.
var notSettings = []string{
	"memhtmlStatus", "memhtmlDidChangeMemory", "memhtmlPrompts", "memhtmlSaves", "memhtmlCompares", "memhtmlOutcomes",
	"memhtmlUntrusted", "server", "trace",
}

// choices are the person's settings, as far as the client has told them.
type choices struct {
	// asking is held over one question to the client and putting its answer in
	// force, so that an older one never replaces a newer one.
	asking sync.Mutex
	// waiting says that somebody waits to ask, who will see every change so far.
	waiting atomic.Bool

	mu sync.Mutex // guards everything below
	// initial are those of initializationOptions; they lie below the others.
	initial choice
	// everywhere holds for no root in particular, roots for one, by its folder.
	everywhere choice
	roots      map[string]choice
	// warned are the problems that the person knows of.
	warned map[settings.Problem]bool
}

// choice is one object of settings.
type choice struct {
	layer    settings.Layer
	problems []settings.Problem
}

// readChoice reads an object of settings, or one that has them as its member "memhtml".
func readChoice(raw protocol.LSPAny) choice {
	var object map[string]json.RawMessage
	if json.Unmarshal(orNull(raw), &object) == nil {
		if inner, nested := object[section]; nested {
			object = nil
			if json.Unmarshal(inner, &object) != nil {
				return newChoice(inner)
			}
		}
		for _, name := range notSettings {
			delete(object, name)
		}
		raw = rawJSON(object)
	}
	return newChoice(raw)
}

func newChoice(text []byte) choice {
	layer, problems := settings.Parse(text, settings.Editor)
	return choice{layer, problems}
}

// in are the layers that hold in a root; "" is in none.
func (c *choices) in(dir string) []settings.Layer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own, ok := c.roots[dir]; ok {
		return []settings.Layer{c.initial.layer, own.layer}
	}
	return []settings.Layer{c.initial.layer, c.everywhere.layer}
}

// replace puts what the client tells in place of what it told.
func (c *choices) replace(everywhere choice, roots map[string]choice) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.everywhere, c.roots = everywhere, roots
}

// news are the problems that the person does not know of, each once however many
// roots have it. One that comes back is news.
func (c *choices) news() []settings.Problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Concat(c.initial.problems, c.everywhere.problems)
	for _, dir := range slices.Sorted(maps.Keys(c.roots)) {
		all = append(all, c.roots[dir].problems...)
	}
	var news []settings.Problem
	known := map[settings.Problem]bool{}
	for _, problem := range all {
		if !c.warned[problem] && !known[problem] {
			news = append(news, problem)
		}
		known[problem] = true
	}
	c.warned = known
	return news
}

// chosen are the settings where no root has its own.
func (s *server) chosen() settings.Settings { return settings.Resolve(s.choices.in("")...) }

// rest is how long the keyboard rests before relations are judged.
func (s *server) rest(r *root) time.Duration {
	if s.options.Debounce != 0 {
		return s.options.Debounce
	}
	return time.Duration(r.Settings().Diagnostics.Debounce) * time.Millisecond
}

// didChangeConfiguration takes what the client tells, or asks it, where it can be
// asked: then the message says only that something changed.
func (s *server) didChangeConfiguration(_ context.Context, params []byte) error {
	var p struct{ Settings map[string]json.RawMessage }
	if json.Unmarshal(orNull(params), &p) != nil {
		s.log.Debug("no settings in a change of the configuration")
	}
	if !s.capabilities.configuration {
		// Some clients tell everything they have: without a section none of it is
		// meant for us.
		s.choices.replace(readChoice(protocol.LSPAny(p.Settings[section])), nil)
	}
	if !s.choices.waiting.Swap(true) {
		s.start("settings", s.refreshSettings)
	}
	return nil
}

// refreshSettings asks the client for its settings, where it can be asked, and
// puts in force what it told.
func (s *server) refreshSettings(ctx context.Context) {
	s.choices.asking.Lock()
	defer s.choices.asking.Unlock()
	s.choices.waiting.Store(false)
	if s.capabilities.configuration {
		s.askSettings(ctx)
	}
	for _, problem := range s.choices.news() {
		s.warn("memhtml settings: " + string(problem))
	}
	s.setLevel(s.chosen().Log.Level)
	s.maxFiles.Store(int64(s.chosen().Diagnostics.MaxFiles))
	s.diagnoser.mark(func() {})
	roots, loose := s.configurable()
	for _, r := range roots {
		r.Configure(s.choices.in(r.Dir())...)
	}
	for _, key := range loose {
		s.diagnoser.alone(key)
	}
}

// configurable are the open roots, and the documents that are in none.
func (s *server) configurable() (roots []*root, loose []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, d := range s.holders {
		if d.root == nil {
			loose = append(loose, key)
		}
	}
	return slices.Collect(maps.Values(s.roots)), loose
}

// askSettings asks what holds everywhere, and in each root. Without an answer
// everything stays as it is. Caller holds choices.asking.
func (s *server) askSettings(ctx context.Context) {
	roots, _ := s.configurable()
	items := []protocol.ConfigurationItem{{Section: ptr(section)}}
	for _, r := range roots {
		items = append(items, protocol.ConfigurationItem{Section: ptr(section), ScopeURI: ptr(uri.URI(s.names.of(r.Dir())))})
	}
	var answers []protocol.LSPAny
	params := &protocol.ConfigurationParams{Items: items}
	if s.client.call(ctx, protocol.MethodWorkspaceConfiguration, params, &answers) != nil {
		return
	}
	// A client that answers less than it was asked has nothing to say of the rest.
	answers = append(answers, make([]protocol.LSPAny, len(items))...)
	byRoot := map[string]choice{}
	for i, r := range roots {
		byRoot[r.Dir()] = readChoice(answers[i+1])
	}
	s.choices.replace(readChoice(answers[0]), byRoot)
}

// awaitSettings asks for the settings of a root that was opened. wait gives the
// client a moment to answer.
func (s *server) awaitSettings(ctx context.Context) (wait func()) {
	done := make(chan struct{})
	s.start("settings", func(ctx context.Context) {
		defer close(done)
		s.refreshSettings(ctx)
	})
	return func() {
		timer := time.NewTimer(s.options.SettingsWait)
		defer timer.Stop()
		select {
		case <-done:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
}

// registerSettings asks to be told of changes, where the client offers that. The
// others tell without being asked, or not at all.
func (s *server) registerSettings(ctx context.Context) {
	if !s.capabilities.configurationChanges {
		return
	}
	// A client that refuses is in the log, and the settings are those of the start.
	_ = s.client.call(ctx, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{
		Registrations: []protocol.Registration{{
			ID: "memhtml-settings", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: rawJSON(map[string]string{"section": section}),
		}},
	}, nil)
}

// setLevel obeys the setting log.level; "" is what the server was started with.
func (s *server) setLevel(word string) {
	if s.options.Level == nil {
		return
	}
	level := s.firstLevel
	if word != "" {
		// The settings allow only words that the log knows.
		_ = level.UnmarshalText([]byte(word))
	}
	s.options.Level.Set(level)
}

// warn tells the person, and the log.
func (s *server) warn(message string) {
	s.log.Warn(message)
	s.client.show(protocol.MessageTypeWarning, message)
}

// levelOf is the level that a log was started with.
func levelOf(level *slog.LevelVar) slog.Level {
	if level == nil {
		return slog.LevelInfo
	}
	return level.Level()
}

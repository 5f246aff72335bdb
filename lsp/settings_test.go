package lsp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// keeper is an editor's side of the settings: it answers with the first entry
// whose key is part of the scope, and with that of "" where there is no scope.
type keeper struct {
	mu      sync.Mutex // guards answers
	answers map[string]string
}

func (k *keeper) set(scope, object string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.answers == nil {
		k.answers = map[string]string{}
	}
	k.answers[scope] = object
}

func (k *keeper) answer(method string, params json.RawMessage) (any, bool) {
	if method != "workspace/configuration" {
		return nil, false
	}
	var p struct {
		Items []struct{ ScopeURI, Section string }
	}
	if json.Unmarshal(params, &p) != nil {
		return nil, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	answers := make([]json.RawMessage, len(p.Items))
	for i, item := range p.Items {
		answers[i] = json.RawMessage("null")
		if object, ok := k.answers[item.ScopeURI]; ok && item.Section == "memhtml" {
			answers[i] = json.RawMessage(object)
		}
	}
	return answers, true
}

// severities is an object of settings that sets one severity.
func severities(code, word string) string {
	return fmt.Sprintf(`{"diagnostics": {"severities": {%q: %q}}}`, code, word)
}

// waitSeverity waits until the one finding of a file has a severity.
func waitSeverity(t *testing.T, e *fakeeditor.Editor, path string, severity int) {
	t.Helper()
	e.Wait(fmt.Sprintf("severity %d of %s", severity, filepath.Base(path)), func() bool {
		all := e.Diagnostics(path)
		return len(all) == 1 && all[0].Severity == severity
	})
}

// changed tells the server that settings changed, and nothing more.
func changed(e *fakeeditor.Editor) {
	e.Notify("workspace/didChangeConfiguration", fakeeditor.Object{"settings": nil})
}

// TestSettingsAreAskedForEachRoot, and asked again when they change.
func TestSettingsAreAskedForEachRoot(t *testing.T) {
	a, b := pair(t), pair(t)
	k := &keeper{}
	k.set(fakeeditor.URI(a.dir), severities("duplicate", "warning"))
	k.set(fakeeditor.URI(b.dir), severities("duplicate", "information"))
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{a.dir, b.dir}, Capabilities: fakeeditor.VSCode(), Answer: k.answer,
	}, server(t, lsp.Options{}))
	waitSeverity(t, e, a.path(copied), 2)
	waitSeverity(t, e, b.path(copied), 3)
	k.set(fakeeditor.URI(a.dir), severities("duplicate", "hint"))
	changed(e)
	waitSeverity(t, e, a.path(copied), 4)
	barrier(t, e)
	if n := len(e.Publications(b.path(copied))); n != 1 {
		t.Errorf("the other root was published %d times", n)
	}
	k.set(fakeeditor.URI(a.dir), severities("duplicate", "off"))
	changed(e)
	e.WaitCodes(a.path(copied))
	k.set(fakeeditor.URI(a.dir), "null")
	changed(e)
	waitSeverity(t, e, a.path(copied), 1)
}

// TestFirstFindingsWaitForSettings, so that nothing changes before the person's
// eyes.
func TestFirstFindingsWaitForSettings(t *testing.T) {
	r := pair(t)
	release := make(chan struct{})
	k := &keeper{}
	k.set(fakeeditor.URI(r.dir), severities("duplicate", "warning"))
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(),
		Answer: func(method string, params json.RawMessage) (any, bool) {
			if method == "workspace/configuration" {
				<-release
			}
			return k.answer(method, params)
		},
	}, server(t, lsp.Options{SettingsWait: time.Minute, IndexWait: time.Second}))
	e.Open(r.path(copied))
	// This is answered when the first index is there, or after a second.
	e.Call("textDocument/codeAction", fakeeditor.Object{
		"textDocument": fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))}, "range": fakeeditor.Range{}, "context": fakeeditor.Object{"diagnostics": []any{}},
	}, nil)
	close(release)
	waitSeverity(t, e, r.path(copied), 2)
	if n := len(e.Publications(r.path(copied))); n != 1 {
		t.Errorf("published %d times", n)
	}
}

// TestSettingsThatAreToldCount for clients that cannot be asked; what they tell of
// others is not ours.
func TestSettingsThatAreToldCount(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.Neovim07())
	waitSeverity(t, e, r.path(copied), 1)
	for _, step := range []struct {
		settings string
		severity int
	}{
		{`{"memhtml": ` + severities("duplicate", "hint") + `, "git": {"hooks": 7}}`, 4},
		{`{"memhtml": ` + severities("duplicate", "warning") + `}`, 2},
		{severities("duplicate", "hint"), 1},
	} {
		e.Notify("workspace/didChangeConfiguration", fakeeditor.Object{"settings": json.RawMessage(step.settings)})
		waitSeverity(t, e, r.path(copied), step.severity)
	}
	if shown := messages(t, e); len(shown) > 0 {
		t.Errorf("shown %q", shown)
	}
	if asked := e.Asked("workspace/configuration"); len(asked) > 0 {
		t.Error("it was asked")
	}
}

// TestInitializationOptionsLieBelow what the client answers, with or without our
// name around them.
func TestInitializationOptionsLieBelow(t *testing.T) {
	for name, wrap := range map[string]string{"bare": "%s", "in our section": `{"memhtml": %s, "memhtmlStatus": true}`} {
		t.Run(name, func(t *testing.T) {
			r := pair(t)
			k := &keeper{}
			options := `{"diagnostics": {"mirror": "hint", "severities": {"duplicate": "warning"}}}`
			e := fakeeditor.Open(t, fakeeditor.Config{
				Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(), Answer: k.answer,
				InitializationOptions: json.RawMessage(fmt.Sprintf(wrap, options)),
			}, server(t, lsp.Options{}))
			waitSeverity(t, e, r.path(copied), 2)
			waitSeverity(t, e, r.path(drain), 4)
			k.set(fakeeditor.URI(r.dir), severities("duplicate", "information"))
			changed(e)
			waitSeverity(t, e, r.path(copied), 3)
			waitSeverity(t, e, r.path(drain), 4)
			if shown := messages(t, e); len(shown) > 0 {
				t.Errorf("shown %q", shown)
			}
		})
	}
}

// TestUnknownSettingIsShownOnce, however often and for however many roots the
// client tells it.
func TestUnknownSettingIsShownOnce(t *testing.T) {
	a, b := pair(t), pair(t)
	const typo = `{"diagnostics": {"mirorr": "hint", "maxFiles": "many", "severities": {"duplicate": "hint"}}, "server": {"path": "x"}, "trace": {"server": "off"}}`
	k := &keeper{}
	for _, scope := range []string{"", fakeeditor.URI(a.dir), fakeeditor.URI(b.dir)} {
		k.set(scope, typo)
	}
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{a.dir, b.dir}, Capabilities: fakeeditor.VSCode(), Answer: k.answer,
		InitializationOptions: json.RawMessage(typo),
	}, server(t, lsp.Options{}))
	waitSeverity(t, e, a.path(copied), 4)
	waitSeverity(t, e, b.path(copied), 4)
	k.set(fakeeditor.URI(a.dir), severities("duplicate", "warning"))
	changed(e)
	waitSeverity(t, e, a.path(copied), 2)
	want := []string{
		"memhtml settings: There is no setting “diagnostics.mirorr”. Did you mean diagnostics.mirror?",
		"memhtml settings: diagnostics.maxFiles takes a whole number from 0 to 1000000; what is there is ignored.",
	}
	got := messages(t, e)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// TestClientThatOwesItsSettings is served with those of the start.
func TestClientThatOwesItsSettings(t *testing.T) {
	r := pair(t)
	release := make(chan struct{})
	freed := sync.OnceFunc(func() { close(release) })
	defer freed()
	k := &keeper{}
	k.set(fakeeditor.URI(r.dir), severities("duplicate", "warning"))
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(), InitializationOptions: json.RawMessage(severities("duplicate", "hint")),
		Answer: func(method string, params json.RawMessage) (any, bool) {
			if method == "workspace/configuration" {
				<-release
			}
			return k.answer(method, params)
		},
	}, server(t, lsp.Options{CallTimeout: time.Hour}))
	for range 200 {
		if _, failure := e.Try("any/thing", nil); failure == nil || failure.Code != -32601 {
			t.Fatalf("answered %v", failure)
		}
	}
	waitSeverity(t, e, r.path(copied), 4)
	freed()
	waitSeverity(t, e, r.path(copied), 2)
}

// TestManyChangesAreFewQuestions: who waits to ask asks for all of them.
func TestManyChangesAreFewQuestions(t *testing.T) {
	r := pair(t)
	release := make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	defer free()
	k := &keeper{}
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(),
		Answer: func(method string, params json.RawMessage) (any, bool) {
			if method == "workspace/configuration" {
				<-release
			}
			return k.answer(method, params)
		},
	}, server(t, lsp.Options{CallTimeout: time.Hour}))
	waitSeverity(t, e, r.path(copied), 1)
	for range 100 {
		changed(e)
	}
	k.set(fakeeditor.URI(r.dir), severities("duplicate", "hint"))
	changed(e)
	if _, failure := e.Try("any/thing", nil); failure == nil {
		t.Fatal("an unknown request was answered")
	}
	free()
	waitSeverity(t, e, r.path(copied), 4)
	for range 20 {
		barrier(t, e)
	}
	// One at the start, one for the root, one for the changes.
	if n := len(e.Asked("workspace/configuration")); n > 4 {
		t.Errorf("asked %d times", n)
	}
}

// TestServerEndsWhileTheClientOwesItsSettings, and waits for no answer.
func TestServerEndsWhileTheClientOwesItsSettings(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{pair(t).dir}, Capabilities: fakeeditor.VSCode(),
		Answer: func(method string, _ json.RawMessage) (any, bool) {
			if method == "workspace/configuration" {
				<-release
			}
			return nil, false
		},
	}, server(t, lsp.Options{CallTimeout: time.Hour}))
	e.Wait("the question", func() bool { return len(e.Asked("workspace/configuration")) > 0 })
	if code := e.Leave(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// TestClientThatAnswersNonsense keeps what was there.
func TestClientThatAnswersNonsense(t *testing.T) {
	for name, answer := range map[string]any{
		"no list": fakeeditor.Object{"diagnostics": 1}, "too short": []any{}, "words": []any{"a", "b", "c"},
	} {
		t.Run(name, func(t *testing.T) {
			r := pair(t)
			e := fakeeditor.Open(t, fakeeditor.Config{
				Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(), InitializationOptions: json.RawMessage(severities("duplicate", "hint")),
				Answer: func(method string, _ json.RawMessage) (any, bool) { return answer, method == "workspace/configuration" },
			}, server(t, lsp.Options{}))
			waitSeverity(t, e, r.path(copied), 4)
		})
	}
}

// TestChangesOfSettingsAreAskedFor where the client offers to tell of them.
func TestChangesOfSettingsAreAskedFor(t *testing.T) {
	r := pair(t)
	registered := func(e *fakeeditor.Editor) bool {
		return slices.ContainsFunc(e.Asked("client/registerCapability"), func(n fakeeditor.Notification) bool {
			text := string(n.Params)
			return strings.Contains(text, `"workspace/didChangeConfiguration"`) && strings.Contains(text, `"section":"memhtml"`)
		})
	}
	e := open(t, r, fakeeditor.With(fakeeditor.VSCode(), fakeeditor.Object{"workspace": fakeeditor.Object{
		"didChangeConfiguration": fakeeditor.Object{"dynamicRegistration": true},
	}}))
	e.Wait("the registration", func() bool { return registered(e) })
}

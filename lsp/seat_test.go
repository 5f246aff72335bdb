package lsp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/internal/fault"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// dieEnv names the step of a commit before which a server process kills itself.
const dieEnv = "MEMHTML_LSP_TEST_DIE"

func dieAt(step string) {
	if step == "" {
		return
	}
	fault.Step = func(name string) error {
		if name == step {
			if p, err := os.FindProcess(os.Getpid()); err == nil {
				_ = p.Kill()
			}
			select {}
		}
		return nil
	}
}

// seat is an editor with a server process of its own, which may be killed.
type seat struct {
	*fakeeditor.Editor
	t            testing.TB
	name, dir    string
	capabilities fakeeditor.Object
	process      *exec.Cmd
}

func newSeat(t testing.TB, name, dir string, capabilities fakeeditor.Object, env ...string) *seat {
	t.Helper()
	s := &seat{t: t, name: name, dir: dir, capabilities: capabilities}
	s.start(env...)
	return s
}

// start begins a new session, with nothing open.
func (s *seat) start(env ...string) {
	s.t.Helper()
	log := &logBuffer{}
	process, in, out := child(s.t, "5s", log, env...)
	s.process = process
	s.t.Cleanup(func() {
		_ = process.Wait()
		if s.t.Failed() {
			s.t.Logf("the log of %s:\n%s", s.name, log.String())
		}
	})
	s.Editor = fakeeditor.Attach(s.t, fakeeditor.Config{
		Folders: []string{s.dir}, Capabilities: s.capabilities, Mortal: true,
		InitializationOptions: fakeeditor.Object{"memhtmlStatus": true, "diagnostics": fakeeditor.Object{"debounce": 20}},
	}, out, in)
	s.Initialize()
}

// kill ends the process with no chance to clean up.
func (s *seat) kill() {
	s.t.Helper()
	if err := s.process.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	s.ExitStatus()
}

// indexed waits for the first index.
func (s *seat) indexed() {
	s.t.Helper()
	waitIndexed(s.Editor)
}

// waitIndexed waits for the first index of an editor that asked for its status.
func waitIndexed(e *fakeeditor.Editor) {
	e.Wait("the first index", func() bool {
		return slices.ContainsFunc(e.Seen("memhtml/status"), func(n fakeeditor.Notification) bool {
			return strings.Contains(string(n.Params), `"idle"`)
		})
	})
}

// settled waits until the server has taken in all that is on disk and shown it.
func (s *seat) settled() {
	s.t.Helper()
	s.indexed()
	s.until("has taken in what is on disk, and compared it", func() bool {
		status := statusOf(s.t, s.Editor)
		return status.Fresh && status.NearDuplicates.Missing == 0
	})
	barrier(s.t, s.Editor)
}

// until waits for what no message tells of.
func (s *seat) until(what string, cond func() bool) {
	s.t.Helper()
	ticker, deadline := time.NewTicker(20*time.Millisecond), time.After(fakeeditor.Patience)
	defer ticker.Stop()
	for !cond() {
		select {
		case <-ticker.C:
		case <-deadline:
			s.t.Fatalf("waited in vain until %s %s", s.name, what)
		}
	}
}

// shows waits until the editor holds the given findings.
func (s *seat) shows(want map[string][]string) {
	s.t.Helper()
	ticker, deadline := time.NewTicker(5*time.Millisecond), time.After(fakeeditor.Patience)
	defer ticker.Stop()
	for {
		diff := cmp.Diff(want, heldIn(s.Editor, s.dir))
		if diff == "" {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline:
			s.t.Fatalf("%s (-a new server on a copy +got):\n%s", s.name, diff)
		}
	}
}

// heldIn is what a client shows of the files of a folder, by path below it.
func heldIn(e *fakeeditor.Editor, dir string) map[string][]string {
	all := map[string][]string{}
	for uri, findings := range held(e) {
		all[strings.TrimPrefix(uri, "file://"+dir+"/")] = findings
	}
	return all
}

// fromNothing is what a server says that has never seen the repository: one of a
// copy, which has none of the databases.
func fromNothing(t testing.TB, dir string) map[string][]string {
	t.Helper()
	copied, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	copied = filepath.Join(copied, "copy")
	if out, err := exec.Command("cp", "-a", dir, copied).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	databases, err := filepath.Glob(filepath.Join(copied, ".git", "memhtml-ls", "index.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range databases {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{copied}, Capabilities: fakeeditor.VSCode(),
		InitializationOptions: fakeeditor.Object{"memhtmlStatus": true},
	}, server(t, lsp.Options{}))
	waitIndexed(e)
	barrier(t, e)
	want := heldIn(e, copied)
	e.Leave()
	return want
}

// attempt sends a command and waits for its answer, or for the end of the
// server. It returns the code of a refusal.
func (s *seat) attempt(command string, args any) (code string, alive bool) {
	s.t.Helper()
	id := s.Go("workspace/executeCommand", fakeeditor.Object{"command": command, "arguments": []any{args}})
	s.Wait("an answer to "+command, func() bool { return s.Answered(id) || s.Ended() })
	if !s.Answered(id) {
		return "", false
	}
	raw, failure := s.Answer(id)
	if failure != nil {
		s.t.Fatalf("%s was answered %v", command, failure)
	}
	var answer struct{ Code string }
	if err := json.Unmarshal(raw, &answer); err != nil {
		s.t.Fatalf("%v in %s", err, raw)
	}
	return answer.Code, true
}

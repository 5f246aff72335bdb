package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// quietClients watch nothing: the one does not offer to, the other accepts the
// registration and never sends an event.
var quietClients = map[string]fakeeditor.Object{
	"offers no watching":  fakeeditor.Neovim07(),
	"accepts and is mute": fakeeditor.VSCode(),
}

// Files that something else writes are followed (golang/go#32436).
func TestDiskIsFollowedWithoutTheClient(t *testing.T) {
	for name, capabilities := range quietClients {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, drain, memo("2026-01-02", claim))
			e := open(t, r, capabilities)
			e.Open(r.path(drain))
			e.WaitCodes(r.path(drain))
			started := time.Now()
			r.write(copied, memo("2026-02-03", claim))
			e.WaitCodes(r.path(copied), "duplicate")
			if took := time.Since(started); took > 6*time.Second {
				t.Errorf("noticed after %v", took)
			}
			r.remove(copied)
			e.WaitCodes(r.path(copied))
		})
	}
}

// Findings stayed for files that a branch does not have (regal#857).
func TestCheckoutClearsWhatIsGone(t *testing.T) {
	r := newRepo(t, drain, memo("2026-01-02", claim))
	r.git("checkout", "-q", "-b", "more")
	r.write(copied, memo("2026-02-03", claim))
	r.write(pool, strings.Replace(memo("2026-01-05", "x"), "<title>2026-01-05</title>", "", 1))
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "more")
	e := open(t, r, fakeeditor.Neovim07())
	e.WaitCodes(r.path(copied), "duplicate")
	e.WaitCodes(r.path(pool), "title-count")
	r.git("checkout", "-q", "main")
	e.WaitCodes(r.path(copied))
	e.WaitCodes(r.path(pool))
	r.git("checkout", "-q", "more")
	e.WaitCodes(r.path(copied), "duplicate")
}

// statusOf is what the server says of its only root.
func statusOf(t testing.TB, e *fakeeditor.Editor) session.Status {
	t.Helper()
	var answer struct{ Data session.Status }
	e.Call("workspace/executeCommand", fakeeditor.Object{"command": "memhtml.status"}, &answer)
	return answer.Data
}

// workOf is what the server says it has done in a root.
func workOf(t testing.TB, e *fakeeditor.Editor) session.Work { return statusOf(t, e).Work }

// numbered adds n memories, each of which says something else, in one folder.
func numbered(n int, files ...string) []string {
	for i := range n {
		files = append(files, fmt.Sprintf("areas/many/%d.html", i), memo("2026-02-03", fmt.Sprintf("Number %d is odd or even", i)))
	}
	return files
}

// A file whose bytes did not change is no change (typescript-go#4593).
func TestTouchedFilesAreNoChange(t *testing.T) {
	files := numbered(500, drain, memo("2026-01-02", claim), copied, memo("2026-02-03", claim))
	r := newRepo(t, files...)
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(copied), "duplicate")
	before, done := e.PublicationCount(), workOf(t, e)
	if int64(before) != done.Published || done.Passes != 1 || done.Parsed != 502 {
		t.Errorf("%d publications, and after the first index %+v", before, done)
	}
	var paths []string
	later := time.Now().Add(time.Minute)
	for i := 0; i < len(files); i += 2 {
		paths = append(paths, r.path(files[i]))
		if err := os.Chtimes(r.path(files[i]), later, later); err != nil {
			t.Fatal(err)
		}
	}
	e.Watched(2, paths...)
	r.write(pool, strings.Replace(memo("2026-01-05", "x"), "<title>2026-01-05</title>", "", 1))
	e.Watched(1, r.path(pool))
	e.WaitCodes(r.path(pool), "title-count")
	want := session.Work{Passes: done.Passes + 1, Parsed: done.Parsed + 1, Published: done.Published + 1}
	if got := workOf(t, e); got != want || e.PublicationCount() != before+1 {
		t.Errorf("touching 502 files and writing one came to %+v, want %+v", got, want)
	}
}

// While git holds its index nothing of the disk is taken in, what is typed is
// answered, and a lock that goes is noticed.
func TestDiskIsLeftAloneWhileGitIsAtWork(t *testing.T) {
	r := newRepo(t, drain, memo("2026-01-02", claim), pool, memo("2026-01-05", "The connection pool ceiling is 64"))
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(pool))
	e.WaitVersion(r.path(pool))
	r.write(".git/index.lock", "")
	r.write(copied, memo("2026-02-03", claim))
	e.Watched(1, r.path(copied))
	e.Replace(r.path(pool), "<title>2026-01-05</title>", "")
	e.WaitCodes(r.path(pool), "title-count")
	barrier(t, e)
	if got := e.Codes(r.path(copied)); len(got) != 0 {
		t.Errorf("while git holds the index: %v", got)
	}
	r.remove(".git/index.lock")
	e.WaitCodes(r.path(copied), "duplicate")
}

// A rebase that waits for the person holds nothing up: they are at work on the
// very files.
func TestDiskIsFollowedInAStoppedRebase(t *testing.T) {
	r := newRepo(t, drain, memo("2026-01-02", claim), pool, memo("2026-01-05", "The connection pool ceiling is 64"))
	r.git("checkout", "-q", "-b", "mine")
	r.write(pool, memo("2026-01-05", "The connection pool ceiling is 65"))
	r.git("commit", "-q", "-a", "-m", "mine")
	r.git("checkout", "-q", "main")
	r.write(pool, memo("2026-01-05", "The connection pool ceiling is 66"))
	r.git("commit", "-q", "-a", "-m", "theirs")
	e := open(t, r, fakeeditor.Neovim07())
	e.Open(r.path(drain))
	e.WaitVersion(r.path(drain))
	if err := exec.Command("git", "-C", r.dir, "rebase", "-q", "main", "mine").Run(); err == nil {
		t.Fatal("the rebase did not stop")
	}
	e.Wait("the markers", func() bool { return slices.Contains(e.Codes(r.path(pool)), "merge-markers") })
	r.write(copied, memo("2026-02-03", claim))
	e.WaitCodes(r.path(copied), "duplicate")
	r.git("rebase", "--abort")
	e.WaitCodes(r.path(pool))
}

// The open buffer speaks until it is closed, then the disk (xtext-core#888).
func TestDiskEventsDoNotOverwriteBuffers(t *testing.T) {
	r := pair(t)
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(copied))
	e.WaitCodes(r.path(copied), "duplicate")
	e.Replace(r.path(copied), "<title>2026-02-03</title>", "")
	e.WaitCodes(r.path(copied), "title-count", "duplicate")
	r.write(copied, memo("2026-02-03", "Something else on disk"))
	e.Watched(2, r.path(copied))
	// What the buffer says is still so after something later has come through.
	e.Open(r.path(pool))
	e.WaitVersion(r.path(pool))
	if got := strings.Join(e.Codes(r.path(copied)), " "); got != "title-count duplicate" {
		t.Errorf("the buffer shows %s", got)
	}
	e.Close(r.path(copied))
	e.WaitCodes(r.path(copied))
}

func TestRegistersOnlyForHTMLFiles(t *testing.T) {
	r := pair(t)
	for name, relative := range map[string]bool{"relative patterns": true, "plain patterns": false} {
		t.Run(name, func(t *testing.T) {
			e := open(t, r, fakeeditor.With(fakeeditor.VSCode(), fakeeditor.Object{"workspace": fakeeditor.Object{
				"didChangeWatchedFiles": fakeeditor.Object{"relativePatternSupport": relative},
			}}))
			e.Wait("the registration", func() bool { return len(e.Asked("client/registerCapability")) == 1 })
			var p struct {
				Registrations []struct {
					Method          string
					RegisterOptions struct {
						Watchers []struct{ GlobPattern json.RawMessage }
					}
				}
			}
			if err := json.Unmarshal(e.Asked("client/registerCapability")[0].Params, &p); err != nil {
				t.Fatal(err)
			}
			want := `"**/*.html"`
			if relative {
				want = fmt.Sprintf(`{"baseUri":%q,"pattern":"**/*.html"}`, fakeeditor.URI(r.dir))
			}
			got := p.Registrations[0]
			if got.Method != "workspace/didChangeWatchedFiles" || len(got.RegisterOptions.Watchers) != 1 ||
				string(got.RegisterOptions.Watchers[0].GlobPattern) != want {
				t.Errorf("registered %+v", got)
			}
		})
	}
	e := open(t, r, fakeeditor.Neovim07())
	e.WaitCodes(r.path(copied), "duplicate")
	if asked := e.Asked("client/registerCapability"); asked != nil {
		t.Errorf("registered with a client that does not offer it: %v", asked)
	}
}

// A checkout that brings and takes many files is followed in few passes, the
// client is told once of each file, and requests are answered meanwhile
// (tcl-lsp#1161). The client tells of it in many messages.
func TestCheckoutOfManyFiles(t *testing.T) {
	r := newRepo(t, pool, memo("2026-01-05", "The connection pool ceiling is 64"))
	r.git("checkout", "-q", "-b", "many")
	files := numbered(2000)
	var brought []string
	for i := 0; i < len(files); i += 2 {
		text := files[i+1]
		if i%4 == 0 {
			text = strings.Replace(text, "<title>2026-02-03</title>", "", 1)
			brought = append(brought, r.path(files[i]))
		}
		r.write(files[i], text)
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "many")
	r.git("checkout", "-q", "main")
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(pool))
	e.WaitVersion(r.path(pool))
	want := workOf(t, e)
	for i, branch := range []string{"many", "main", "many"} {
		checkout := make(chan string)
		go func() { checkout <- r.git("checkout", "-q", branch) }()
		var took []time.Duration
		told := func() (n int) {
			for _, path := range brought {
				n += min(len(e.Publications(path)), i+1)
			}
			return n
		}
		for at := 0; told() < len(brought)*(i+1); at = min(at+100, len(files)) {
			var some []string
			for j := at; j < min(at+100, len(files)); j += 2 {
				some = append(some, r.path(files[j]))
			}
			if len(some) > 0 {
				e.Watched(1, some...)
			}
			started := time.Now()
			actionsAt(e, r.path(pool), "The connection pool")
			took = append(took, time.Since(started))
		}
		<-checkout
		slices.Sort(took)
		if most, slowest := took[len(took)*9/10], took[len(took)-1]; most > 100*time.Millisecond || slowest > time.Second {
			t.Errorf("nine requests of ten took up to %v, the slowest %v", most, slowest)
		}
		got := workOf(t, e)
		if passes, sent := got.Passes-want.Passes, got.Published-want.Published; passes > 2 || sent != int64(len(brought)) {
			t.Errorf("checkout of %s: %d passes, %d publications for %d files", branch, passes, sent, len(brought))
		}
		want = got
	}
}

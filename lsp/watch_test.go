package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
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

// A file whose bytes did not change is no change (typescript-go#4593).
func TestTouchedFilesAreNoChange(t *testing.T) {
	files := []string{drain, memo("2026-01-02", claim), copied, memo("2026-02-03", claim)}
	for i := range 500 {
		files = append(files, fmt.Sprintf("areas/many/%d.html", i), memo("2026-01-02", fmt.Sprintf("Number %d is odd or even", i)))
	}
	r := newRepo(t, files...)
	e := open(t, r, fakeeditor.VSCode())
	e.WaitCodes(r.path(copied), "duplicate")
	before := e.PublicationCount()
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
	if after := e.PublicationCount(); after != before+1 {
		t.Errorf("%d publications for files that were only touched", after-before-1)
	}
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

// A checkout that brings and takes many files is followed in few passes, and
// requests are answered meanwhile (tcl-lsp#1161).
func TestCheckoutOfManyFiles(t *testing.T) {
	r := newRepo(t, drain, memo("2026-01-02", claim), pool, memo("2026-01-05", "The connection pool ceiling is 64"))
	r.git("checkout", "-q", "-b", "many")
	for i := range 1000 {
		r.write(fmt.Sprintf("areas/many/%d.html", i), memo("2026-02-03", fmt.Sprintf("Number %d is odd or even", i)))
	}
	r.write(copied, memo("2026-02-03", claim))
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "many")
	r.git("checkout", "-q", "main")
	e := open(t, r, fakeeditor.VSCode())
	e.Open(r.path(pool))
	e.WaitVersion(r.path(pool))
	for range 2 {
		r.git("checkout", "-q", "many")
		slowest := time.Duration(0)
		for len(e.Codes(r.path(copied))) == 0 {
			started := time.Now()
			actionsAt(e, r.path(pool), "The connection pool")
			slowest = max(slowest, time.Since(started))
		}
		if slowest > time.Second {
			t.Errorf("a request took %v", slowest)
		}
		r.git("checkout", "-q", "main")
		e.WaitCodes(r.path(copied))
	}
	if n := e.PublicationCount(); n > 6 {
		t.Errorf("%d publications for two findings that came and went", n)
	}
}

package lsp_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// Every example of the catalogue shows its code, and only that, in an editor.
func TestCatalogueInAnEditor(t *testing.T) {
	for _, entry := range diagnostics.Catalog() {
		t.Run(string(entry.Code), func(t *testing.T) {
			r, last := exampleRepo(t, entry.Example)
			config := fakeeditor.Config{Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode()}
			if entry.Code == diagnostics.MoreRelations {
				config.InitializationOptions = fakeeditor.Object{"diagnostics": fakeeditor.Object{"mirror": "hint"}}
			}
			e := fakeeditor.Open(t, config, server(t, lsp.Options{}))
			if entry.Code == diagnostics.OutsideBuckets {
				e.Open(r.path(last)) // closed files are looked for where memories are
			}
			e.Wait("the code", func() bool {
				return strings.Contains(strings.Join(e.Codes(r.path(last)), " "), string(entry.Code))
			})
			for _, d := range e.Diagnostics(r.path(last)) {
				if d.Code != string(entry.Code) && entry.Code != diagnostics.MoreRelations {
					t.Errorf("and %s", d.Code)
				}
			}
		})
	}
}

var braces = regexp.MustCompile(`\{1\.\.(\d+)\}`)

// exampleRepo lays an example out: a name with {1..n} is n files, in which {n}
// is the number, and "[too-large]" is a file over the limit.
func exampleRepo(t *testing.T, archive string) (r repo, last string) {
	t.Helper()
	r = newRepo(t)
	for _, f := range txtar.Parse([]byte(archive)).Files {
		last = f.Name
		span := braces.FindStringSubmatch(f.Name)
		if span == nil {
			r.write(f.Name, string(f.Data))
			continue
		}
		n, err := strconv.Atoi(span[1])
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i <= n; i++ {
			number := strconv.Itoa(i)
			r.write(strings.Replace(f.Name, span[0], number, 1), strings.ReplaceAll(string(f.Data), "{n}", number))
		}
	}
	if strings.HasPrefix(strings.TrimSpace(r.read(last)), "[too-large]") {
		if err := os.Truncate(r.path(last), 9<<20); err != nil {
			t.Fatal(err)
		}
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "example")
	return r, last
}

package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/settings"
)

// own is the layer of a person's own settings.
func own(t *testing.T, text string) []settings.Layer {
	t.Helper()
	layer, problems := settings.Parse([]byte(text), settings.User)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return []settings.Layer{layer}
}

// alike are two memories that say the same.
func alike() map[string]string {
	return map[string]string{"areas/a.html": claim("The kiln fires on Friday", 1), "areas/b.html": claim("The kiln fires on Friday", 2)}
}

// openWarned opens the fixture's root again; warned gets its warnings.
func (f *fixture) openWarned(warned *[]string, user ...settings.Layer) *Root {
	f.t.Helper()
	root, err := Open(context.Background(), f.dir, Options{User: user, Warn: func(m string) { *warned = append(*warned, m) }})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { root.Close() })
	if err := root.Index(context.Background(), nil); err != nil {
		f.t.Fatal(err)
	}
	f.root = root
	return root
}

func (f *fixture) severity(path string) string {
	f.t.Helper()
	var words []string
	for _, finding := range f.findings(path) {
		words = append(words, string(finding.Code)+" "+finding.Severity.String())
	}
	return strings.Join(words, ", ")
}

// poll has the root look at the disk.
func (f *fixture) poll() {
	f.t.Helper()
	if _, err := f.root.Poll(context.Background()); err != nil {
		f.t.Fatal(err)
	}
}

// TestPersonWinsOverRepository in what both set; what only one sets, counts.
func TestPersonWinsOverRepository(t *testing.T) {
	files := alike()
	files[repositorySettings] = `{"diagnostics": {"severities": {"duplicate": "hint", "dangling-link": "off"}}}`
	f := newFixture(t, files)
	if got := f.severity("areas/b.html"); got != "duplicate hint" {
		t.Errorf("by the repository: %q", got)
	}
	f.root.Configure(own(t, `{"diagnostics": {"severities": {"duplicate": "warning"}}}`)...)
	if got := f.severity("areas/b.html"); got != "duplicate warning" {
		t.Errorf("by the person: %q", got)
	}
	if got := f.root.Settings().Diagnostics.Severities["dangling-link"]; got != "off" {
		t.Errorf("what only the repository sets: %q", got)
	}
}

// TestConfigureTellsOnlyWhatChanged: the subscriber hears of files when findings
// may be others, and of nothing when the settings are the same.
func TestConfigureTellsOnlyWhatChanged(t *testing.T) {
	f := newFixture(t, alike())
	var heard [][]string
	f.root.options.OnChange = func(c Change) { heard = append(heard, c.Affected) }
	before := f.root.View()
	f.root.Configure(own(t, `{}`)...)
	f.root.Configure(own(t, `{"git": {"hooks": "skip"}}`)...)
	f.root.Configure(own(t, `{"git": {"hooks": "skip"}, "diagnostics": {"mirror": "hint"}}`)...)
	if diff := cmp.Diff([][]string{nil, {"areas/a.html", "areas/b.html"}}, heard); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if report, err := before.Report("areas/a.html"); err != nil || len(report.Findings) != 0 {
		t.Errorf("an older View has other settings now: %v %v", report.Findings, err)
	}
	if got := f.severity("areas/a.html"); got != "duplicate hint" {
		t.Errorf("the mirror shows %q", got)
	}
}

// TestExcludedMemoryIsStillAnIncumbent: nothing is found in it, and it is what
// others are duplicates of.
func TestExcludedMemoryIsStillAnIncumbent(t *testing.T) {
	f := newFixture(t, alike())
	check := func() (paths []string, excluded int) {
		t.Helper()
		result, err := f.root.Check(context.Background(), CheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, report := range result.Reports {
			paths = append(paths, report.Path)
		}
		return paths, result.Excluded
	}
	f.root.Configure(own(t, `{"diagnostics": {"mirror": "hint", "exclude": ["areas/a.html"]}}`)...)
	if got := f.codes(); !slices.Equal(got, []string{"areas/b.html duplicate areas/a.html"}) {
		t.Errorf("with the incumbent excluded: %q", got)
	}
	if paths, n := check(); !slices.Equal(paths, []string{"areas/b.html"}) || n != 1 {
		t.Errorf("check found something in %q and excluded %d", paths, n)
	}
	f.root.Configure(own(t, `{"diagnostics": {"exclude": ["areas"]}}`)...)
	if paths, n := check(); len(paths) != 0 || n != 2 {
		t.Errorf("check found something in %q and excluded %d", paths, n)
	}
	result, err := f.root.Write(context.Background(), fact("Kiln", "The kiln fires on Friday"))
	if err != nil || result.Action != OutcomeDeduped || result.ExistingPath != "areas/a.html" {
		t.Errorf("a write beside an excluded memory: %+v %v", result, err)
	}
}

// TestRepositorySettingsChangeLive: the file is looked at with every poll, and a
// problem is told when it appears.
func TestRepositorySettingsChangeLive(t *testing.T) {
	f := newFixture(t, alike())
	var warned []string
	f.openWarned(&warned)
	steps := []struct{ text, severity string }{
		{`{"diagnostics": {"severities": {"duplicate": "hint"}}}`, "duplicate hint"},
		{`{"diagnostics": {"severities": {"duplicate": "off"}}, "git": {"hooks": "skip"}}`, ""},
		{`{"diagnostics": {"severities": {"duplicate": "off"}}, "git": {"hooks": "skip"}} // as before`, ""},
		{`{"diagnostics": {"severities": {"duplicate": "hint"}}`, "duplicate error"},
	}
	for _, step := range steps {
		f.write(repositorySettings, step.text)
		f.poll()
		if got := f.severity("areas/b.html"); got != step.severity {
			t.Errorf("%s: %q", step.text, got)
		}
	}
	f.remove(repositorySettings)
	f.poll()
	if got := f.severity("areas/b.html"); got != "duplicate error" {
		t.Errorf("without the file: %q", got)
	}
	want := []string{
		".memhtml/ls.jsonc: A repository cannot set git.hooks; only your own settings can.",
		".memhtml/ls.jsonc: The settings cannot be read: line 1 is not JSON. None of them counts.",
	}
	if diff := cmp.Diff(want, warned); diff != "" {
		t.Errorf("warned (-want +got):\n%s", diff)
	}
	if got := f.root.Settings().Git.Hooks; got != "run" {
		t.Errorf("a repository set hooks to %q", got)
	}
}

// TestUnchangedRepositorySettingsAreNotRead: a poll costs a stat.
func TestUnchangedRepositorySettingsAreNotRead(t *testing.T) {
	files := alike()
	files[repositorySettings] = `{}`
	f := newFixture(t, files)
	name := filepath.Join(f.dir, filepath.FromSlash(repositorySettings))
	old := time.Now().Add(-time.Hour)
	chtimes := func() {
		t.Helper()
		if err := os.Chtimes(name, old, old); err != nil {
			t.Fatal(err)
		}
	}
	chtimes()
	f.poll()
	// The same size and time: only who reads it sees the difference.
	if err := os.WriteFile(name, []byte(`[]`), 0o644); err != nil {
		t.Fatal(err)
	}
	chtimes()
	var warned []string
	f.root.options.Warn = func(m string) { warned = append(warned, m) }
	f.poll()
	if len(warned) > 0 {
		t.Errorf("it was read: %q", warned)
	}
}

// TestRepositorySettingsWrittenTwiceInATick: a file that was written a moment ago
// is read again, because its stat may not tell.
func TestRepositorySettingsWrittenTwiceInATick(t *testing.T) {
	f := newFixture(t, alike())
	now := time.Now()
	for _, text := range []string{
		`{"diagnostics": {"severities": {"duplicate": "hint"}}}   `, `{"diagnostics": {"severities": {"duplicate": "warning"}}}`,
	} {
		f.write(repositorySettings, text)
		if err := os.Chtimes(filepath.Join(f.dir, filepath.FromSlash(repositorySettings)), now, now); err != nil {
			t.Fatal(err)
		}
		f.poll()
	}
	if got := f.severity("areas/b.html"); got != "duplicate warning" {
		t.Errorf("the first of two is in force: %q", got)
	}
}

// TestHostileRepositorySettings: what is not a plain small file below the root is
// told and not read.
func TestHostileRepositorySettings(t *testing.T) {
	const hint = `{"diagnostics": {"severities": {"duplicate": "hint"}}}`
	outside := filepath.Join(t.TempDir(), "ls.jsonc")
	if err := os.WriteFile(outside, []byte(hint), 0o644); err != nil {
		t.Fatal(err)
	}
	must := func(t *testing.T, errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name, want string
		put        func(t *testing.T, dir string)
	}{
		{"a link out of the root", "are not a plain file", func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, ".memhtml"), 0o755), os.Symlink(outside, filepath.Join(dir, repositorySettings)))
		}},
		{"a link to another file of the root", "are not a plain file", func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, ".memhtml"), 0o755), os.WriteFile(filepath.Join(dir, "x"), []byte(hint), 0o644),
				os.Symlink("../x", filepath.Join(dir, repositorySettings)))
		}},
		{"in a folder that is a link out of the root", "cannot be read", func(t *testing.T, dir string) {
			must(t, os.Symlink(filepath.Dir(outside), filepath.Join(dir, ".memhtml")))
		}},
		{"a folder", "are not a plain file", func(t *testing.T, dir string) { must(t, os.MkdirAll(filepath.Join(dir, repositorySettings), 0o755)) }},
		{"a large file", "are larger than", func(t *testing.T, dir string) {
			must(t, os.Mkdir(filepath.Join(dir, ".memhtml"), 0o755),
				os.WriteFile(filepath.Join(dir, repositorySettings), []byte(hint+strings.Repeat(" ", 1<<20)), 0o644))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, alike())
			test.put(t, f.dir)
			var warned []string
			f.openWarned(&warned)
			f.poll()
			if got := f.severity("areas/b.html"); got != "duplicate error" {
				t.Errorf("it was read: %q", got)
			}
			if len(warned) != 1 || !strings.Contains(warned[0], test.want) {
				t.Errorf("warned %q", warned)
			}
		})
	}
}

// TestExcludedDocumentShowsNothingOpen: a buffer is excluded as its file is.
func TestExcludedDocumentShowsNothingOpen(t *testing.T) {
	f := newFixture(t, alike())
	f.root.Configure(own(t, `{"diagnostics": {"exclude": ["areas/b.html"]}}`)...)
	f.root.Edit(Modification{Kind: Opened, Path: "areas/b.html", Text: []byte("<title></title>"), Version: 1})
	report, err := f.root.View().Report("areas/b.html")
	if diff := cmp.Diff([]diagnostics.Finding(nil), report.Findings); err != nil || diff != "" || !report.Open {
		t.Errorf("%v %v %s", report.Open, err, diff)
	}
}

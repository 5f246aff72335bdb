package lsp_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

var update = flag.Bool("update", false, "rewrite the transcripts of marker files")

// TestMarkers runs the files below testdata/markers; README.md there says what
// is in them.
func TestMarkers(t *testing.T) {
	names, err := filepath.Glob("testdata/markers/*/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no marker files: %v", err)
	}
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		archive := txtar.Parse(body)
		for _, client := range clientsOf(archive) {
			title := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(name), "testdata/markers/"), ".txt")
			t.Run(title+"/"+client, func(t *testing.T) { runMarkers(t, name, archive, client) })
		}
	}
}

// presets are the clients by the names that marker files use.
var presets = map[string]func() fakeeditor.Object{
	"vscode": fakeeditor.VSCode, "neovim07": fakeeditor.Neovim07, "utf8": fakeeditor.UTF8, "plain": fakeeditor.Plain,
	"pulling": fakeeditor.Pulling,
}

func clientsOf(archive *txtar.Archive) []string {
	if clients := strings.Fields(section(archive, "clients")); len(clients) > 0 {
		return clients
	}
	return []string{"vscode", "pulling"}
}

// section returns the content of a file that is no memory, "" when absent.
func section(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// markers is one marker file at work.
type markers struct {
	t      *testing.T
	repo   repo
	editor *fakeeditor.Editor
	files  []string
	// want are the expected outputs of the steps still to come.
	want []string
	got  strings.Builder
	// seen counts the messages shown before the present step.
	seen int
}

func runMarkers(t *testing.T, name string, archive *txtar.Archive, client string) {
	m := &markers{t: t, repo: newRepo(t)}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".html") {
			m.repo.write(f.Name, string(f.Data))
			m.files = append(m.files, f.Name)
		}
	}
	m.repo.git("add", "-A")
	m.repo.git("commit", "-q", "-m", "markers")
	config := fakeeditor.Config{Folders: []string{m.repo.dir}, Capabilities: presets[client]()}
	if strings.Contains(section(archive, "settings"), "mirror") {
		config.InitializationOptions = fakeeditor.Object{"diagnostics": fakeeditor.Object{"mirror": "hint"}}
	}
	m.editor = fakeeditor.Open(t, config, server(t, lsp.Options{}))
	m.matchDiagnostics()
	m.want = splitSteps(section(archive, "want"))
	for _, step := range splitLines(section(archive, "do")) {
		m.step(step)
	}
	if len(m.want) > 0 && !*update {
		t.Errorf("the transcript goes on: %q", m.want)
	}
	if *update && client == clientsOf(archive)[0] && m.got.Len() > 0 {
		rewrite(t, name, archive, m.got.String())
	}
}

// rewrite puts the transcript of a run into its file; nothing else changes.
func rewrite(t *testing.T, name string, archive *txtar.Archive, got string) {
	t.Helper()
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func splitLines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

// splitSteps cuts a transcript into the outputs of its steps.
func splitSteps(text string) []string {
	var steps []string
	for i, part := range strings.Split("\n"+text, "\n> ") {
		if i > 0 {
			steps = append(steps, "> "+strings.TrimSuffix(part, "\n")+"\n")
		}
	}
	return steps
}

var marker = regexp.MustCompile(`<!--@diag ([a-z-]+) "([^"]*)"-->`)

// matchDiagnostics waits until what the editor shows matches the markers one to
// one: code, line, and a part of the message.
func (m *markers) matchDiagnostics() {
	m.t.Helper()
	var missing, extra []string
	match := func() bool {
		missing, extra = nil, nil
		for _, file := range m.files {
			got := map[string][]string{}
			for _, d := range m.editor.Diagnostics(m.repo.path(file)) {
				at := fmt.Sprintf("%s:%d %s", file, d.Range.Start.Line+1, d.Code)
				got[at] = append(got[at], d.Message)
			}
			for i, line := range strings.Split(m.repo.read(file), "\n") {
				for _, want := range marker.FindAllStringSubmatch(line, -1) {
					at := fmt.Sprintf("%s:%d %s", file, i+1, want[1])
					found := slices.IndexFunc(got[at], func(message string) bool { return strings.Contains(message, want[2]) })
					if found < 0 {
						missing = append(missing, fmt.Sprintf("%s %q", at, want[2]))
						continue
					}
					got[at] = slices.Delete(got[at], found, found+1)
				}
			}
			for at, messages := range got {
				for _, message := range messages {
					extra = append(extra, at+" "+message)
				}
			}
		}
		return missing == nil && extra == nil
	}
	defer func() {
		if missing != nil || extra != nil {
			m.t.Errorf("not shown: %q\nnot expected: %q", missing, extra)
		}
	}()
	// The status waits for the first index: an editor that shows nothing yet
	// matches a file without markers too soon.
	compared(m.t, m.editor)
	barrier(m.t, m.editor)
	if m.editor.Pulls() {
		// What is told of the workspace comes in its own time.
		m.editor.Wait("the findings of the markers", match)
		return
	}
	match()
}

// step does one line of a script and compares what it says with the transcript.
func (m *markers) step(line string) {
	m.t.Helper()
	want := ""
	if len(m.want) > 0 {
		want, m.want = m.want[0], m.want[1:]
	}
	args := words(line)
	path := ""
	if len(args) > 1 {
		path = m.repo.path(args[1])
	}
	out := ""
	switch args[0] {
	case "open":
		m.editor.Open(path)
	case "change":
		m.editor.Replace(path, args[2], args[3])
	case "save":
		m.editor.Save(path)
	case "close":
		m.editor.Close(path)
	case "disk":
		m.repo.write(args[1], strings.ReplaceAll(m.repo.read(args[1]), args[2], args[3]))
		m.editor.Watched(2, path)
	case "actions":
		out = m.actions(path, args[2])
	case "run":
		out = m.run(path, args[2], args[3])
	case "diags":
		m.diags(line, want)
		return
	default:
		m.t.Fatalf("no such step: %s", line)
	}
	m.compare(line, want, out)
}

// compare holds the output of a step against the transcript.
func (m *markers) compare(line, want, out string) {
	m.t.Helper()
	got := "> " + line + "\n" + out
	m.got.WriteString(got)
	if diff := cmp.Diff(want, got); diff != "" && !*update {
		m.t.Fatalf("(-want +got):\n%s", diff)
	}
}

// words splits a line at spaces outside double quotes.
func words(line string) []string {
	var out []string
	for _, part := range regexp.MustCompile(`"[^"]*"|\S+`).FindAllString(line, -1) {
		out = append(out, strings.Trim(part, `"`))
	}
	return out
}

// settleTime is how long an editor is left alone before its findings are taken
// for a new transcript; comparing waits for the findings instead.
const settleTime = 1500 * time.Millisecond

// diags waits until the editor shows the findings of the transcript.
func (m *markers) diags(line, want string) {
	m.t.Helper()
	if *update {
		time.Sleep(settleTime)
		m.compare(line, want, m.shown())
		return
	}
	m.editor.Wait("findings:\n"+want+"but there are:\n"+m.shown(), func() bool { return "> "+line+"\n"+m.shown() == want })
	m.compare(line, want, m.shown())
}

// shown lists what the editor shows in all files.
func (m *markers) shown() string {
	var lines []string
	for _, file := range m.files {
		for _, d := range m.editor.Diagnostics(m.repo.path(file)) {
			lines = append(lines, fmt.Sprintf("%s:%d %s: %s\n", file, d.Range.Start.Line+1, d.Code, d.Message))
		}
	}
	return strings.Join(lines, "")
}

// actions lists what is on offer where a text stands.
func (m *markers) actions(path, at string) string {
	var out strings.Builder
	for _, a := range actionsAt(m.editor, path, at) {
		fmt.Fprintf(&out, "%s: %s", a.Kind, a.Title)
		if a.Preferred {
			out.WriteString(" (preferred)")
		}
		if a.Disabled != nil {
			fmt.Fprintf(&out, " (disabled: %s)", a.Disabled.Reason)
		}
		out.WriteString("\n")
	}
	return stable(out.String())
}

// run does an action: the resulting text of an edit, or the commit of a command
// with the tree after it and what the person was told.
func (m *markers) run(path, at, title string) string {
	m.seen = len(messages(m.t, m.editor))
	action := m.find(actionsAt(m.editor, path, at), title)
	raw := m.editor.Run(action)
	if raw == nil {
		text, _ := m.editor.Buffer(path)
		return stable(text)
	}
	out := ""
	if result := read(m.t, raw); result.Code != "" {
		out = result.Code + "\n"
	} else {
		out = m.repo.git("show", "--stat", "--format=%s%n%b", "HEAD") + "\n" +
			m.repo.git("ls-tree", "-r", "--name-only", "HEAD") + "\n"
	}
	for _, message := range messages(m.t, m.editor)[m.seen:] {
		out += "told: " + message + "\n"
	}
	return stable(out + m.repo.git("status", "--porcelain"))
}

// find is Editor.Action for titles as transcripts have them.
func (m *markers) find(actions []fakeeditor.CodeAction, title string) fakeeditor.CodeAction {
	for _, a := range actions {
		if stable(a.Title) == title {
			return a
		}
	}
	return m.editor.Action(actions, title)
}

var unstable = []struct {
	was *regexp.Regexp
	is  string
}{
	{regexp.MustCompile(`archive/\d{4}/`), "archive/YEAR/"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "NOW"},
	{regexp.MustCompile(`\(memhtml [0-9a-f]{7}\)`), "(memhtml ID)"},
	{regexp.MustCompile(`(?m)[ \t]+$`), ""},
	{regexp.MustCompile(`\n{2,}`), "\n"},
}

// stable takes out of an output what depends on the day and on commit ids.
func stable(text string) string {
	for _, u := range unstable {
		text = u.was.ReplaceAllString(text, u.is)
	}
	if text != "" && !strings.HasSuffix(text, "\n") && strings.Contains(text, "\n") {
		text += "\n"
	}
	return text
}

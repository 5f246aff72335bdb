//go:build interop

package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// difference is something that we do otherwise than memhtml, on purpose. Name is
// its row in docs/interoperability.md, which gives the reason.
type difference struct {
	name string
	// files are in the last commit before the commands are given.
	files map[string]string
	// indexed says that memhtml is to know the files before the commands.
	indexed bool
	// prepare changes the repository after that.
	prepare func(r *root)
	// stdin and commands are given to both; a refusal ends the commands.
	stdin    string
	commands [][]string
	// view is what is looked at when all are done, with the last answer.
	view func(r *root, last answer) string
	// memhtml and ours are what it gives.
	memhtml, ours string
}

const gate = "areas/ops/gate.html"

// file is an accepted memory.
func file(claim string, metas ...string) string {
	source, err := memory.Render(memory.Input{Title: claim, Type: "semantic", Claim: claim, At: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)})
	if err != nil {
		panic(err)
	}
	for _, meta := range metas {
		name, value, _ := strings.Cut(meta, "=")
		if source, err = memory.AddMeta(source, "memhtml-"+name, value); err != nil {
			panic(err)
		}
	}
	return string(source)
}

func write(args ...string) []string {
	return append([]string{"write", "--title", "The new one", "--type", "semantic"}, args...)
}

var differences = []difference{
	{
		name: "language of a bare fence", commands: [][]string{write("--claim", "It builds so.", "--body", "```\nSELECT name FROM kilns WHERE height > 3 ORDER BY name;\n```")},
		view: matches(`<code[^>]*>`), memhtml: `<code data-lang="sql">`, ours: "<code>",
	},
	{
		name: "code in the first sentence", stdin: `{"op":"write","title":"t","type":"semantic","body":"Call it so:\n\n` + "```go\\nx.y()\\n```" + `"}`,
		commands: [][]string{{"apply"}}, view: matches(`(?s)<mark>.*</mark>`),
		memhtml: "<mark>Call it so:\n\n```go\nx.y()\n```</mark>", ours: "<mark>Call it so:</mark>",
	},
	{
		name: "carriage return in a title", commands: [][]string{write("--title", "two\r\nlines", "--claim", "c")},
		view: matches(`(?s)<title>.*</title>`), memhtml: "<title>two\r\nlines</title>", ours: "<title>two\nlines</title>",
	},
	{
		name: "value that no reader takes", stdin: `{"op":"write","title":"t","type":"semantic","body":"b","importance":11}`,
		commands: [][]string{{"apply"}}, view: matches(`importance" content="[^"]*"`), memhtml: `importance" content="11"`, ours: "",
	},
	{
		name: "NUL in a text", stdin: `{"op":"write","title":"t","type":"semantic","body":"a\u0000b"}`,
		commands: [][]string{{"apply"}}, view: matches(`<mark>.*</mark>`), memhtml: "<mark>ab</mark>", ours: "",
	},
	{
		name: "markup nested beyond reading", stdin: `{"op":"write","title":"t","type":"semantic","article_html":"<p><mark>c</mark>` + strings.Repeat("<em>", 600) + `"}`,
		commands: [][]string{{"apply"}}, view: matches(`<mark>.*?</mark>`), memhtml: "<mark>c</mark>", ours: "",
	},
	{
		name: "path of a generated file", commands: [][]string{write("--claim", "c", "--path", "areas/index.html")},
		view: added, memhtml: "areas/index.html", ours: "",
	},
	{
		name: "path that no memory can have", commands: [][]string{write("--claim", "c", "--path", "../x.html")},
		view: added, memhtml: "areas/inbox/the-new-one.html", ours: "",
	},
	{
		name: "path without .html", commands: [][]string{write("--claim", "c", "--path", "areas/ops/x")},
		view: added, memhtml: "areas/inbox/the-new-one.html", ours: "areas/ops/x.html",
	},
	{
		name: "name of what was archived this year", files: map[string]string{archived("areas/inbox/the-new-one.html"): file("The gate closes at ten.")},
		commands: [][]string{write("--claim", "c", "--type", "verdict")},
		view:     added, memhtml: "areas/inbox/the-new-one.html", ours: "areas/inbox/the-new-one-2.html",
	},
	{
		name: "task that says what a memory says", files: map[string]string{gate: file("The gate closes at ten.")}, indexed: true,
		commands: [][]string{write("--type", "task", "--claim", "The gate closes at ten.")},
		view:     added, memhtml: "", ours: "areas/inbox/tasks/the-new-one.html",
	},
	{
		name: "value of a slot in other words", files: map[string]string{gate: file("The backup interval is 2 hours.")}, indexed: true,
		stdin:    `{"op":"write","title":"t","type":"semantic","body":"The backup interval is 120 minutes."}`,
		commands: [][]string{{"apply", "--detect-conflicts"}},
		view: func(_ *root, last answer) string {
			told := regexp.MustCompile(`"conflict": *\{|"sameValue": *true`).FindAllString(string(last.Data), -1)
			return strings.ReplaceAll(strings.Join(told, " "), ": ", ":")
		},
		memhtml: `"conflict":{`, ours: `"conflict":{ "sameValue":true`,
	},
	{
		name: "what a correction inherits", files: map[string]string{gate: file("The gate closes at ten.", "tag=yard", "entity=org:yard", "importance=7", "confidence=0.50")},
		commands: [][]string{{"correct", gate, "--title", "The gate", "--claim", "The gate closes at nine."}},
		view: func(r *root, _ answer) string {
			path := strings.TrimPrefix(added(r, answer{}), archived(gate)+" ")
			return path + " " + strings.Join(regexp.MustCompile(`(?:importance|confidence|entity|tag)" content="[^"]*`).FindAllString(r.read(path), -1), " ")
		},
		memhtml: "areas/inbox/the-gate.html ",
		ours:    `resources/yard/the-gate.html confidence" content="0.50 importance" content="7 entity" content="org:yard tag" content="yard`,
	},
	{
		name: "correction of a correction of the same title", files: map[string]string{gate: file("The gate closes at ten.")},
		commands: [][]string{
			{"correct", gate, "--title", "The gate", "--claim", "The gate closes at nine."},
			{"correct", "areas/inbox/the-gate.html", "--title", "The gate", "--claim", "The gate closes at eight."},
			{"correct", "areas/inbox/the-gate-2.html", "--title", "The gate", "--claim", "The gate closes at seven."},
		},
		view:    func(r *root, _ answer) string { return r.git("ls-files", "areas/inbox/the-gate*") },
		memhtml: "areas/inbox/the-gate.html\n", ours: "areas/inbox/the-gate-3.html\n",
	},
	{
		name: "reason of a correction", files: map[string]string{gate: file("The gate closes at ten.")},
		commands: [][]string{{"correct", gate, "--title", "The gate", "--claim", "It closes at nine.", "--reason", "new hours"}},
		view:     message, memhtml: "memhtml(correct): The gate", ours: "memhtml(correct): The gate\n\nnew hours",
	},
	{
		name: "reason too long for the subject", files: map[string]string{gate: file("The gate closes at ten.")},
		commands: [][]string{{"archive", gate, "--reason", "the yard was sold to the town, which has a gate of its own"}},
		view:     message, memhtml: "memhtml(archive): areas/ops/gate.html — the yard was sold to the town, which has a gate o…",
		ours: "memhtml(archive): areas/ops/gate.html — the yard was sold to the town, which has a gate o…\n\nthe yard was sold to the town, which has a gate of its own",
	},
	{
		name: "correction of a task", files: map[string]string{gate: strings.Replace(file("Close the gate", "task-status=todo"), "semantic", "task", 1)},
		commands: [][]string{{"correct", gate, "--title", "Close it", "--claim", "Close the gate now."}},
		view:     added, memhtml: "archive/YEAR/areas/ops/gate.html areas/inbox/tasks/close-it.html", ours: "",
	},
	{
		name: "correction of an archived memory", files: map[string]string{"archive/2019/" + gate: file("The gate closes at ten.")},
		commands: [][]string{{"correct", "archive/2019/" + gate, "--title", "The gate", "--claim", "It closes at nine."}},
		view:     added, memhtml: "archive/YEAR/archive/2019/areas/ops/gate.html areas/inbox/the-gate.html", ours: "",
	},
	{
		name: "archiving what is archived", files: map[string]string{"archive/2019/" + gate: file("The gate closes at ten.")},
		commands: [][]string{{"archive", "archive/2019/" + gate, "--reason", "r"}},
		view:     added, memhtml: "archive/YEAR/archive/2019/areas/ops/gate.html", ours: "",
	},
	{
		name: "memory that git does not track", prepare: func(r *root) { r.write(gate, file("The gate closes at ten.")) },
		commands: [][]string{{"archive", gate, "--reason", "r"}},
		view:     added, memhtml: "", ours: "archive/YEAR/areas/ops/gate.html",
	},
	{
		name: "what the person has staged", files: map[string]string{gate: file("The gate closes at ten.")},
		prepare:  func(r *root) { r.write("notes.txt", "n\n"); r.git("add", "notes.txt") },
		commands: [][]string{{"archive", gate, "--reason", "r"}},
		view:     func(r *root, _ answer) string { return r.git("show", "--format=", "--name-only", "--no-renames") },
		memhtml:  "archive/YEAR/areas/ops/gate.html\nareas/ops/gate.html\nnotes.txt\n",
		ours:     "archive/YEAR/areas/ops/gate.html\nareas/ops/gate.html\n",
	},
	{
		name: "line ends of a CRLF file", files: map[string]string{gate: strings.ReplaceAll(file("The gate closes at ten."), "\n", "\r\n")},
		commands: [][]string{{"archive", gate, "--reason", "r"}},
		view: func(r *root, _ answer) string {
			source := r.read(added(r, answer{}))
			return fmt.Sprint(strings.Count(source, "\n")-strings.Count(source, "\r\n"), " lines end in LF alone")
		},
		memhtml: "1 lines end in LF alone", ours: "0 lines end in LF alone",
	},
	{
		name: "head on one line", files: map[string]string{gate: oneLineHead(file("The gate closes at ten."))},
		commands: [][]string{{"archive", gate, "--reason", "r"}},
		view:     matches(`(?s)</head>.*<body>`), memhtml: "</head>\n<meta name=\"memhtml-archived\" content=\"NOW\">\n<body>", ours: "</head>\n<body>",
	},
	{
		name: "byte order mark", files: map[string]string{gate: "\ufeff" + file("The gate closes at ten.")},
		commands: [][]string{{"correct", gate, "--title", "The gate", "--claim", "It closes at nine."}},
		view:     added, memhtml: "", ours: "archive/YEAR/areas/ops/gate.html areas/inbox/the-gate.html",
	},
	{
		name: "commits of a consolidation", files: map[string]string{gate: file("The ceiling of the hall is 3 m.")}, indexed: true,
		stdin:    `{"op":"write","title":"The gate","type":"semantic","body":"The ceiling of the hall is 4 m."}`,
		commands: [][]string{{"apply", "--consolidate", "last-wins"}},
		view:     func(r *root, _ answer) string { return r.git("log", "-2", "--format=%s") },
		memhtml:  "memhtml(consolidate): areas/inbox/the-gate.html supersedes areas/ops/gate.html\nmemhtml(batch): The gate\n",
		ours:     "memhtml(batch): The gate\nbefore\n",
	},
}

func TestDifferences(t *testing.T) {
	for _, d := range differences {
		t.Run(d.name, func(t *testing.T) {
			c := startClock()
			for _, side := range []struct {
				name, want string
				command    func(r *root, stdin string, args ...string) answer
			}{{"memhtml", d.memhtml, (*root).theirs}, {"ours", d.ours, (*root).ours}} {
				r := newRoot(t)
				var last answer
				d.begin(r)
				if d.indexed && side.name == "memhtml" {
					r.theirs("", "index", "rebuild", "--no-embed")
				}
				for _, args := range d.commands {
					if last = side.command(r, d.stdin, args...); last.status != 0 {
						t.Logf("%s: %s: %s", side.name, last.Code, last.Error)
						break
					}
				}
				if diff := cmp.Diff(side.want, c.normal(d.view(r, last))); diff != "" {
					t.Errorf("%s (-want +got):\n%s", side.name, diff)
				}
			}
		})
	}
}

// begin makes the repository that the commands find.
func (d difference) begin(r *root) {
	if a := r.ours("", "init", r.dir); a.status != 0 {
		r.t.Fatalf("init: %s", a.Error)
	}
	for path, text := range d.files {
		r.write(path, text)
	}
	r.git("add", ".")
	r.git("commit", "--allow-empty", "-qm", "before")
	if d.prepare != nil {
		d.prepare(r)
	}
}

func (r *root) write(path, text string) {
	r.t.Helper()
	name := filepath.Join(r.dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// added are the memories that the commits since the beginning have added.
func added(r *root, _ answer) string {
	return strings.Join(strings.Fields(r.git("diff", "--name-only", "--no-renames", "--diff-filter=A", ":/before", "HEAD")), " ")
}

// message is the whole message of the last commit.
func message(r *root, _ answer) string { return strings.TrimSpace(r.git("log", "-1", "--format=%B")) }

// matches shows what of the added memory matches a pattern.
func matches(pattern string) func(r *root, last answer) string {
	shape := regexp.MustCompile(pattern)
	return func(r *root, last answer) string {
		if path := added(r, last); path != "" {
			return shape.FindString(r.read(path))
		}
		return ""
	}
}

// archived is where a path goes today.
func archived(path string) string { return memory.ArchivePath(path, time.Now().UTC().Year()) }

func oneLineHead(source string) string {
	head, body, _ := strings.Cut(source, "</head>")
	return strings.ReplaceAll(head, "\n", "") + "</head>" + body
}

// TestDifferencesAreTold: docs/interoperability.md has a row for every
// difference, and no other.
func TestDifferencesAreTold(t *testing.T) {
	page, err := os.ReadFile("../../docs/interoperability.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, found := strings.Cut(string(page), "\n|---|---|---|---|\n")
	if !found {
		t.Fatal("docs/interoperability.md has no table")
	}
	var told, tested []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-zA-Z].*?) \|`).FindAllStringSubmatch(rows, -1) {
		told = append(told, row[1])
	}
	for _, d := range differences {
		tested = append(tested, d.name)
	}
	slices.Sort(told)
	slices.Sort(tested)
	if diff := cmp.Diff(tested, told); diff != "" {
		t.Errorf("rows of docs/interoperability.md (-tested +told):\n%s", diff)
	}
}

package store

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// endings are contents of every kind that git tells apart.
var endings = []string{
	"", "a\n", "a\r\n", "a\nb\r\n", "a\rb\n", "a\rb\r\n", "a\r\r\n", "\r\n", "\n", "no end", "a\r", "\x00\r\n", "\x00\n",
	"a\x1a\r\n\x1a", strings.Repeat("a", 200) + "\x01\r\n", strings.Repeat("a", 200) + "\x01\x02\r\n", "caf\xc3\xa9\r\n", "\x7f\r\n",
	strings.Repeat("text of some length\r\n", 20), strings.Repeat("text of some length\n", 20), "\t\b\f\x1b\r\n", "\xff\xfe\r\n",
}

// TestLineEndsAsGitHasThem holds our conversions both ways against those of
// git, under random attributes and settings.
func TestLineEndsAsGitHasThem(t *testing.T) {
	rnd := rand.New(rand.NewSource(2))
	pick := func(values ...string) string { return values[rnd.Intn(len(values))] }
	for range 80 {
		s := &sandbox{t, t.TempDir()}
		s.git("init", "-q")
		attrs := "* " + pick("", "text", "-text", "text=auto", "text=input", "text=other", "!text") + " " +
			pick("", "", "crlf", "-crlf", "crlf=input", "crlf=auto") + " " + pick("", "eol=lf", "eol=crlf", "eol=other", "eol") + "\n"
		s.write(".gitattributes", attrs)
		for _, key := range []string{"core.autocrlf", "core.eol"} {
			if v := pick("", map[string]string{"core.autocrlf": "true", "core.eol": "crlf"}[key], "input", "false", "native", "lf"); v != "" && (key != "core.autocrlf" || v != "native" && v != "lf") {
				s.git("config", key, v)
			}
		}
		compareLineEnds(t, s, attrs+s.read(".git/config"))
	}
}

func compareLineEnds(t *testing.T, s *sandbox, setting string) {
	t.Helper()
	r := s.open()
	set, err := r.readSettings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ends := newAttributeReader(&attempt{r: r, root: root, settings: set}).of("f0.html").lineEnds(set)
	var names, asked bytes.Buffer
	for i, text := range endings {
		s.write(fmt.Sprintf("f%d.html", i), text)
		fmt.Fprintf(&names, "f%d.html\n", i)
	}
	raw := s.ask(names.Bytes(), "hash-object", "-w", "--no-filters", "--stdin-paths")
	for i, id := range strings.Fields(string(raw)) {
		fmt.Fprintf(&asked, "%s f%d.html\n", id, i)
	}
	in := strings.Fields(string(s.ask(names.Bytes(), "hash-object", "--stdin-paths")))
	out := s.ask(asked.Bytes(), "cat-file", "--batch=", "--filters")
	for i, text := range endings {
		clean, err := ends.in([]byte(text), func() (bool, error) { return false, nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := hashObject("blob", clean).String(); got != in[i] {
			t.Errorf("%q goes in as %q, git says otherwise\n%s", text, clean, setting)
		}
		// An empty format leaves a line before the content and one after it.
		want := append(append([]byte("\n"), ends.out([]byte(text))...), '\n')
		if !bytes.HasPrefix(out, want) {
			t.Fatalf("%q comes out as %q, git's is at %q\n%s", text, want, out[:min(len(out), 80)], setting)
		}
		out = out[len(want):]
	}
}

// ask runs git with a standard input and returns its standard output.
func (s *sandbox) ask(in []byte, args ...string) []byte {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = s.dir, bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("git %v: %v", args, err)
	}
	return out
}

// TestLineEnds archives, edits and creates under every setting that changes
// line ends. Git says what it would have stored, and what it would check out.
func TestLineEnds(t *testing.T) {
	for name, set := range map[string]func(s *sandbox){
		"autocrlf":       configured("core.autocrlf", "true"),
		"autocrlf input": configured("core.autocrlf", "input"),
		"text=auto":      attribute1("* text=auto"),
		"text":           attribute1("*.html text"),
		"eol=crlf":       attribute1("*.html eol=crlf"),
		"eol=lf":         attribute1("*.html text eol=lf"),
		"core.eol": func(s *sandbox) {
			s.git("config", "core.eol", "crlf")
			s.write(".gitattributes", "*.html text\n")
		},
		"attributes of the archive only": attribute1("archive/** text"),
		"attributes of a deep folder": func(s *sandbox) {
			s.write("areas/ops/.gitattributes", "*.html text=auto eol=crlf\n")
		},
		"safecrlf": func(s *sandbox) {
			s.git("config", "core.safecrlf", "true")
			s.write(".gitattributes", "*.html text eol=crlf\n")
		},
	} {
		// Committed with CR LF before the setting, or with LF and checked out anew.
		for _, stored := range []string{"CR LF", "LF"} {
			t.Run(name+", stored with "+stored, func(t *testing.T) {
				s := newSandbox(t)
				if stored == "CR LF" {
					s.write(pool, strings.ReplaceAll(s.read(pool), "\n", "\r\n"))
					s.crlf()
				}
				set(s)
				s.git("-c", "core.safecrlf=false", "add", ".")
				s.git("commit", "-q", "--allow-empty", "-m", "setting")
				if stored == "LF" {
					for _, p := range []string{drain, pool} {
						s.write(p, strings.ReplaceAll(s.read(p), "\n", "\r\n"))
					}
					s.git("-c", "core.safecrlf=false", "add", "areas")
				}
				text, poolText := s.read(drain), s.read(pool)
				plan := Plan{Changes: []Change{
					{From: drain, Path: moved, Expect: sum(text), After: []byte(strings.Replace(text, "<article>", "<meta>\r\n<article>", 1))},
					{From: pool, Path: pool, Expect: sum(poolText), After: []byte(poolText + "<p>more\r\n")},
					{Path: "areas/ops/new.html", After: []byte(article("new", "New."))},
				}, Message: Message{Subject: "memhtml(plan): 3"}, At: testTime}
				want := s.asGitWould(plan)
				s.commit(s.open(), plan)
				if got := s.git("ls-tree", "-r", "HEAD"); got != want {
					t.Errorf("tree: %s", diffLines(want, got))
				}
				s.clean()
				if got := s.read(moved); got != string(plan.Changes[0].After) {
					t.Errorf("moved: %q", got)
				}
				fresh := s.read("areas/ops/new.html")
				if err := os.Remove(s.path("areas/ops/new.html")); err != nil {
					t.Fatal(err)
				}
				s.git("checkout", "-q", "areas/ops/new.html")
				if got := s.read("areas/ops/new.html"); got != fresh {
					t.Errorf("new: %q, git checks out %q", fresh, got)
				}
				// Git's own look at the content, whatever the times say.
				s.git("update-index", "-q", "--really-refresh")
				s.touchAll()
				s.clean()
				s.sound()
			})
		}
	}
}

// asGitWould carries out a plan with git in a copy and returns the tree.
func (s *sandbox) asGitWould(p Plan) string {
	s.t.Helper()
	c := s.copyTo(filepath.Join(s.t.TempDir(), "git"))
	for _, ch := range p.Changes {
		if ch.From != "" && ch.From != ch.Path {
			if err := os.MkdirAll(filepath.Dir(c.path(ch.Path)), 0o777); err != nil {
				s.t.Fatal(err)
			}
			c.git("mv", ch.From, ch.Path)
		}
		c.write(ch.Path, string(ch.After))
		if ch.From == "" {
			// Ours are in the worktree as git would check them out.
			c.write(ch.Path, strings.ReplaceAll(string(ch.After), "\r\n", "\n"))
		}
		c.git("-c", "core.safecrlf=false", "add", ch.Path)
	}
	c.git("commit", "-q", "-m", "git's")
	return c.git("ls-tree", "-r", "HEAD")
}

// touchAll gives every file another time, so that git reads it.
func (s *sandbox) touchAll() { s.backdate(testTime) }

// TestEditUnderLineEnds finds a file clean, staged or changed by what git would
// store of it.
func TestEditUnderLineEnds(t *testing.T) {
	s := newSandbox(t)
	s.git("config", "core.autocrlf", "true")
	text := strings.ReplaceAll(s.read(drain), "\n", "\r\n") + "later\r\n"
	s.write(drain, text)
	s.git("add", drain)
	s.write(drain, text) // staged whole: the blob has LF
	s.commit(s.open(), s.archive(drain, moved))
	if got := s.git("show", "HEAD:"+moved); strings.Contains(got, "\r") || !strings.HasSuffix(got, "later\n") {
		t.Errorf("stored: %q", got)
	}
	s.clean()
	s.sound()
}

func TestCleanID(t *testing.T) {
	s := newSandbox(t)
	s.git("config", "core.autocrlf", "true")
	committed := [20]byte(mustOID(t, s.git("rev-parse", "HEAD:"+drain)))
	crlf := []byte(strings.ReplaceAll(s.read(drain), "\n", "\r\n"))
	for _, row := range []struct {
		path string
		text []byte
		want bool
	}{{drain, crlf, true}, {drain, []byte(s.read(drain)), true}, {drain, append(crlf, 'x'), false}} {
		id, err := s.open().CleanID(t.Context(), row.path, row.text)
		if err != nil || (id == committed) != row.want {
			t.Errorf("%q: %x %v", row.text, id, err)
		}
	}
}

func mustOID(t *testing.T, s string) oid {
	t.Helper()
	id, err := parseOID(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestKilledUnderLineEnds kills the writer where what is on disk and what is
// committed differ, and lets recovery put files in their places.
func TestKilledUnderLineEnds(t *testing.T) {
	s := newSandbox(t)
	s.git("config", "core.autocrlf", "true")
	poolText := strings.ReplaceAll(s.read(pool), "\n", "\r\n")
	s.write(pool, poolText)
	s.git("add", pool)
	plan := s.crashPlan()
	plan.Changes[1] = Change{From: pool, Path: pool, Expect: (*memory.Hash)(sum(poolText)), After: []byte(poolText + "<!-- superseded -->\r\n")}
	before := s.meaning()
	whole := s.copyTo(filepath.Join(quickDir(t), "whole"))
	steps := child{Dir: whole.dir, Do: "commit", Plan: plan}.steps(t)
	want, committed := before, false
	for i, step := range steps {
		if committed {
			want = whole.meaning()
		}
		if committed || step == StepRef {
			t.Run(fmt.Sprintf("%02d-%s", i+1, step), func(t *testing.T) {
				killOnce(t, s, child{Do: "commit", Plan: plan, KillAt: i + 1}, want)
			})
		}
		committed = committed || step == StepRef
	}
	if got := whole.read("areas/inbox/new.html"); !strings.Contains(got, "\r\n") {
		t.Errorf("new: %q", got)
	}
}

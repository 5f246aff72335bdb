package lsp_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
)

var (
	histories   = flag.Duration("histories", 0, "go through random histories of two servers for so long, instead of one short one")
	historySeed = flag.Uint64("history-seed", 1, "the `seed` of the first history")
)

// Two servers on one worktree, the one pushing and the other asked, agree with a
// server that has never seen it, after any history of typing, saving, commands
// and kills of either, and of other programs and git beside them. Each time all
// files are closed.
func TestHistoryOfTwoServers(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for seed := *historySeed; seed == *historySeed || time.Since(began) < *histories; seed++ {
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { newHistory(t, seed).run(4, 25) }) {
			t.Fatalf("again: go test ./lsp -run TestHistoryOfTwoServers -history-seed %d", seed)
		}
	}
}

// history is what happens to one repository.
type history struct {
	t      *testing.T
	r      repo
	random *rand.Rand
	seats  []*seat
	// open are the documents of each seat.
	open []map[string]bool
	told []string
}

func newHistory(t *testing.T, seed uint64) *history {
	r := newRepo(t,
		drain, memo("2026-01-02", claim), copied, memo("2026-02-03", claim),
		pool, memo("2026-01-05", "The connection pool ceiling is 64"))
	// Whatever happens to the files, this stays a root.
	r.write(".git/info/exclude", ".memhtml\n")
	r.git("rm", "-q", "-r", "--cached", ".memhtml")
	r.git("commit", "-q", "--amend", "-m", "start")
	r.git("branch", "other")
	h := &history{
		t: t, r: r, random: rand.New(rand.NewPCG(7, seed)),
		seats: []*seat{newSeat(t, "the first", r.dir, fakeeditor.VSCode()), newSeat(t, "the second", r.dir, fakeeditor.Pulling())},
		open:  []map[string]bool{{}, {}},
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what happened:\n%s", strings.Join(h.told, "\n"))
		}
	})
	return h
}

// run goes through rounds of steps, and holds the servers to a new one after
// each.
func (h *history) run(rounds, steps int) {
	for range rounds {
		for range steps {
			h.step()
		}
		h.agree()
	}
	third := newSeat(h.t, "a third", h.r.dir, fakeeditor.VSCode())
	third.settled()
	third.shows(fromNothing(h.t, h.r.dir))
}

// agree closes all documents and demands what a server says that starts from
// nothing.
func (h *history) agree() {
	for i, s := range h.seats {
		h.revive(i)
		for path := range h.open[i] {
			s.Close(path)
		}
		h.open[i] = map[string]bool{}
	}
	for _, s := range h.seats {
		s.settled()
	}
	want := fromNothing(h.t, h.r.dir)
	for _, s := range h.seats {
		s.shows(want)
	}
	h.tell("agreed on %d files with findings", len(want))
}

func (h *history) tell(format string, args ...any) {
	h.told = append(h.told, fmt.Sprintf("%4d ", len(h.told))+fmt.Sprintf(format, args...))
}

// revive starts the server of a seat again if it died of its command.
func (h *history) revive(i int) {
	if h.seats[i].Ended() {
		h.tell("%s is started again", h.seats[i].name)
		h.seats[i].start(h.fate()...)
		h.open[i] = map[string]bool{}
	}
}

// fate lets some servers die in a later command.
func (h *history) fate() []string {
	if h.random.IntN(3) > 0 {
		return nil
	}
	step := h.pick("write", "objects", "journal", "index-lock", "recheck", "head-lock", "ref-lock", "ref", "create", "delete", "sync", "index", "unlock", "forget", "done")
	h.tell("which dies at %s", step)
	return []string{dieEnv + "=" + step}
}

func (h *history) pick(words ...string) string { return words[h.random.IntN(len(words))] }

func (h *history) path() string {
	return h.pick(drain, copied, pool, "areas/x.html", "areas/ops/y.html", "areas/über@.html", "areas/inbox/z.html", "resources/q.html", "archive/2026/areas/x.html")
}

func (h *history) text() string {
	created := h.pick("2026-01-02", "2026-02-03", "2026-03-04")
	said := h.pick(claim, claim, "The connection pool ceiling is 64", "The connection pool ceiling is 32", "The gate code is 4", "Fill the queue")
	head := h.pick("", "", "",
		fmt.Sprintf(`<link rel="memhtml-supersedes" href="/%s">`, h.path()),
		fmt.Sprintf(`<link rel="memhtml-relates-to" href="/%s">`, h.path()),
		fmt.Sprintf(`<meta name="memhtml-superseded-by" content="/%s">`, h.path()),
		`<meta name="memhtml-valid-until" content="2026-05-01">`)
	text := strings.Replace(memo(created, said), "</head>", head+"\n</head>", 1)
	switch h.random.IntN(8) {
	case 0:
		text = strings.Replace(text, "<title>"+created+"</title>", "", 1)
	case 1:
		text += "<script>"
	}
	return text
}

// step does one thing.
func (h *history) step() {
	at := h.random.IntN(len(h.seats))
	h.revive(at)
	switch n := h.random.IntN(100); {
	case n < 35:
		h.typing(at)
	case n < 50:
		h.command(at)
	case n < 65:
		h.disk()
	case n < 94:
		h.gitStep()
	default:
		h.tell("%s is killed", h.seats[at].name)
		h.seats[at].kill()
	}
}

// typing opens, changes, saves or closes a document.
func (h *history) typing(at int) {
	s, path := h.seats[at], h.r.path(h.path())
	if !h.open[at][path] {
		if _, err := os.Stat(path); err != nil {
			return
		}
		h.tell("%s opens %s", s.name, path)
		h.open[at][path] = true
		s.Open(path)
		return
	}
	switch h.random.IntN(6) {
	case 0:
		h.tell("%s closes %s", s.name, path)
		delete(h.open[at], path)
		s.Close(path)
	case 1, 2:
		if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
			h.tell("%s saves %s", s.name, path)
			s.Save(path)
		}
	case 3:
		h.choose(at, path)
	default:
		h.tell("%s types in %s", s.name, path)
		s.SetText(path, h.text())
	}
}

// choose runs one of the actions on the claim of an open document.
func (h *history) choose(at int, path string) {
	s := h.seats[at]
	text, _ := s.Buffer(path)
	if strings.Count(text, "<mark>") != 1 {
		return
	}
	var some []fakeeditor.CodeAction
	for _, action := range s.Actions(path, s.RangeOf(path, "<mark>")) {
		if action.Disabled == nil {
			some = append(some, action)
		}
	}
	if len(some) == 0 {
		return
	}
	action, failure := s.Resolve(some[h.random.IntN(len(some))])
	h.tell("%s chooses %q in %s: %v", s.name, action.Title, path, failure)
	if failure == nil && action.Edit != nil {
		// The document of a closed file may have moved on meanwhile.
		h.tell("the edit: %v", s.Apply(*action.Edit))
	}
	if failure == nil && action.Command != nil {
		h.outcome(at, action.Command.Command, action.Command.Arguments[0])
	}
}

// command runs a command that no action stands for.
func (h *history) command(at int) {
	uri := func() string { return fakeeditor.URI(h.r.path(h.path())) }
	said := h.pick("The gate code is 4", "The gate code is 5", "Drain nodes in 6", claim)
	type args = fakeeditor.Object
	commands := []struct {
		name string
		args args
	}{
		{"memhtml.archive", args{"uri": uri()}},
		{"memhtml.supersede", args{"winner": uri(), "loser": uri()}},
		{"memhtml.merge", args{"keep": uri(), "drop": uri()}},
		{"memhtml.correct", args{"target": uri(), "claim": said}},
		{"memhtml.correctFromEdit", args{"uri": uri()}},
		{"memhtml.update", args{"uri": uri(), "tag": h.pick("a", "b")}},
		{"memhtml.keepBoth", args{"uri": uri(), "rel": "contradicts", "target": uri()}},
		{"memhtml.link", args{"uri": uri(), "rel": "supports", "target": uri()}},
		{"memhtml.write", args{"uri": uri(), "title": said, "type": "semantic", "claim": said}},
		{"memhtml.undo", args{"uri": uri()}},
		{"memhtml.undo", args{"uri": uri(), "commit": h.r.git("rev-parse", "HEAD")}},
	}
	c := commands[h.random.IntN(len(commands))]
	h.outcome(at, c.name, c.args)
}

// outcome runs a command. It may be refused, but not for no reason, and the
// server may be killed in it.
func (h *history) outcome(at int, command string, args any) {
	s := h.seats[at]
	if h.random.IntN(8) == 0 {
		h.tell("%s is killed in %s %v", s.name, command, args)
		s.Go("workspace/executeCommand", fakeeditor.Object{"command": command, "arguments": []any{args}})
		s.kill()
		return
	}
	code, alive := s.attempt(command, args)
	h.tell("%s runs %s %s: %q, alive %v", s.name, command, args, code, alive)
	if code == "ERR_UNKNOWN" || code == "ERR_STORAGE" || code == "ERR_UNKNOWN_COMMAND" || code == "ERR_INVALID_FLAG" || code == "ERR_MISSING_ARGUMENT" {
		h.t.Errorf("%s %v was refused with %s", command, args, code)
	}
}

// disk is what another program does to the files. Only sometimes is a server
// told.
func (h *history) disk() {
	path, to := h.r.path(h.path()), h.r.path(h.path())
	text, err := os.ReadFile(path)
	kind := 2
	switch n := h.random.IntN(8); {
	case n < 3 || err != nil:
		h.tell("%s is written", path)
		h.write(path, h.text())
	case n == 3:
		h.tell("%s is removed", path)
		kind = 3
		_ = os.Remove(path)
	case n == 4:
		h.tell("%s is copied to %s", path, to)
		h.write(to, string(text))
	case n == 5 && os.MkdirAll(filepath.Dir(to), 0o755) == nil:
		h.tell("%s is moved to %s: %v", path, to, os.Rename(path, to))
	case n == 6:
		from, to := h.r.path(h.pick("areas/ops", "areas/deploy", "areas/inbox")), h.r.path(h.pick("areas/moved", "resources/moved", "areas/ops"))
		h.tell("the folder %s is moved to %s: %v", from, to, os.Rename(from, to))
	default:
		now := time.Now()
		h.tell("%s is touched: %v", path, os.Chtimes(path, now, now))
	}
	for i, s := range h.seats {
		if h.random.IntN(2) == 0 && !s.Ended() {
			h.tell("%s is told of it", h.seats[i].name)
			s.Watched(kind, path)
			s.Watched(2, to)
		}
	}
}

// write puts a file in the way in which editors and programs do.
func (h *history) write(path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return
	}
	if h.random.IntN(2) == 0 {
		_ = os.WriteFile(path, []byte(text), 0o644)
		return
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o644); err == nil {
		_ = os.Rename(path+".new", path)
	}
}

// gitStep is what a person does with git. It may refuse; what it leaves half done
// stays so for a while.
func (h *history) gitStep() {
	branch := h.pick("main", "other", "third")
	steps := [][]string{
		{"commit", "-q", "--allow-empty", "-m", "by hand"},
		{"checkout", "-q", branch},
		{"checkout", "-q", "-f", branch},
		{"checkout", "-q", "-B", "third"},
		{"merge", "-q", "-m", "merged", branch},
		{"merge", "--abort"},
		{"rebase", "-q", branch},
		{"rebase", "--abort"},
		{"rebase", "--skip"},
		{"cherry-pick", branch},
		{"cherry-pick", "--abort"},
		{"revert", "--no-edit", "HEAD"},
		{"revert", "--abort"},
		{"stash", "-q", "-u"},
		{"stash", "pop", "-q"},
		{"reset", "-q", "--hard", "HEAD~1"},
		{"reset", "-q", "--hard"},
		{"reset", "-q"},
		{"reset", "-q", "--soft", "HEAD~1"},
		{"rm", "-q", "-f", "--cached", h.path()},
		{"mv", "-f", h.path(), h.path()},
		{"checkout", "-q", "--", "."},
		{"clean", "-q", "-f", "-d"},
	}
	step := steps[h.random.IntN(len(steps))]
	if step[0] == "commit" || h.random.IntN(4) == 0 {
		h.gitTry("add", "-A")
	}
	h.gitTry(step...)
	if strings.Contains(strings.Join(step, " "), "merge") && h.random.IntN(2) == 0 {
		h.gitTry("add", "-A")
		h.gitTry("commit", "-q", "-m", "resolved")
	}
}

func (h *history) gitTry(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = h.r.dir, append(os.Environ(), "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	said, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	h.tell("git %s: %v %s", strings.Join(args, " "), err, said)
}

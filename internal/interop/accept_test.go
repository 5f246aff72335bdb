//go:build interop

package interop

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// TestMemhtmlAcceptsWhatWeDid: after a hundred random commands of ours, memhtml
// indexes every memory, finds nothing wrong and reads the files.
func TestMemhtmlAcceptsWhatWeDid(t *testing.T) {
	const seed = 3
	r := newRoot(t)
	if a := r.ours("", "init", r.dir); a.status != 0 {
		t.Fatalf("init: %s", a.Error)
	}
	p := &person{root: r, Rand: rand.New(rand.NewPCG(seed, 0)), done: map[string]int{}}
	for n := 0; n < 100; {
		if p.act() {
			n++
		}
	}
	for _, command := range []string{"write", "apply", "correct", "archive", "supersede", "link", "merge", "update", "undo"} {
		if p.done[command] == 0 {
			t.Errorf("seed %d has no %s", seed, command)
		}
	}
	t.Logf("%v, %d memories", p.done, len(r.memories()))
	r.clean()
	checked(t, r)
	accepted(t, r)
	logged(t, r)
	for _, path := range p.sample(8) {
		compareRead(t, r, path)
	}
}

// accepted demands that memhtml indexes all memories and finds nothing wrong.
func accepted(t *testing.T, r *root) {
	t.Helper()
	var index struct {
		FilesIndexed int
		Skipped      []any
	}
	r.theirs("", "index", "rebuild", "--no-embed").into(t, &index)
	if want := len(r.memories()); index.FilesIndexed != want || len(index.Skipped) > 0 {
		t.Errorf("index rebuild: %d files, skipped %v, want %d", index.FilesIndexed, index.Skipped, want)
	}
	var doctor struct {
		Healthy, IndexFresh                            bool
		OrphanAccessRows, Warnings, Unparseable, Dirty []any
		// Dangling are links to what has been archived since, by either program:
		// doctor --fix turns them to the archive.
		Dangling []struct{ SrcPath, Rel, DstPath, RewriteTo string }
	}
	r.theirs("", "doctor").into(t, &doctor)
	faults := slices.Concat(doctor.OrphanAccessRows, doctor.Warnings, doctor.Unparseable, doctor.Dirty)
	for _, link := range doctor.Dangling {
		if !memory.IsArchived(link.RewriteTo) {
			faults = append(faults, link)
		}
	}
	if !doctor.Healthy && len(doctor.Dangling) == 0 || !doctor.IndexFresh || len(faults) > 0 {
		t.Errorf("doctor: %+v", doctor)
	}
}

var subjectShape = regexp.MustCompile(`^memhtml\((init|write|correct|archive|link|batch|consolidate|merge|update|undo)\): .`)

// logged demands that git's log reads as memhtml's. It has no command of its own
// for that in 0.15; what it tells of the past is where a memory went.
func logged(t *testing.T, r *root) {
	t.Helper()
	for subject := range strings.Lines(r.git("log", "--format=%s")) {
		if !subjectShape.MatchString(subject) {
			t.Errorf("the log has %q", subject)
		}
	}
	memories := r.memories()
	moved := strings.Fields(r.git("log", "-3", "--diff-filter=A", "--name-only", "--format=", "--no-renames", "--", "archive"))
	if len(moved) == 0 {
		t.Error("the log has nothing that was archived")
	}
	for _, path := range moved {
		from, _ := memory.UnarchivePath(path)
		var resolved struct{ Path string }
		r.theirs("", "resolve", from).into(t, &resolved)
		if !slices.Contains(memories, resolved.Path) {
			t.Errorf("resolve %s: %q is no memory", from, resolved.Path)
		}
	}
}

// compareRead demands that memhtml reads in a file what we read in it.
func compareRead(t *testing.T, r *root, path string) {
	t.Helper()
	type reading struct {
		Title, Gist, Body string
		Tags, Entities    []string
		Archived          bool
		Warnings          []any
	}
	var theirs reading
	r.theirs("", "read", path).into(t, &theirs)
	doc := memory.Parse([]byte(r.read(path)))
	ours := reading{
		Title: doc.Title, Gist: doc.Gist, Body: doc.BodyText, Tags: doc.Metas.Tags, Entities: doc.Metas.Entities,
		Archived: memory.IsArchived(path),
	}
	if diff := cmp.Diff(theirs, ours, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-memhtml +ours):\n%s", path, diff)
	}
}

// person gives random commands to our program.
type person struct {
	*rand.Rand
	root  *root
	facts int
	// done counts the commands that made a commit.
	done map[string]int
}

var (
	subjects = []string{"kiln three", "the gate", "Ines’s mooring", "pool 2", "la crue", "窑 3", "the <b> tag & co", "slipway"}
	types    = []string{"semantic", "episodic", "procedural", "precedent", "verdict", "error_pattern"}
	tags     = []string{"glaze", "Déjà vu", "berths", "x & y"}
	rels     = []string{"supports", "contradicts", "part_of", "laterally_related", "caused_by"}
)

func (p *person) pick(list []string) string { return list[p.IntN(len(list))] }

// claim is a sentence that nobody has said yet.
func (p *person) claim() string {
	p.facts++
	return fmt.Sprintf("The height of %s is %d.", p.pick(subjects), p.facts)
}

// act gives one command and reports whether it made a commit. A path that was
// archived before this year is refused; nothing else may be.
func (p *person) act() bool {
	p.root.t.Helper()
	stdin, args := p.command()
	if args == nil {
		return false
	}
	before := p.root.git("rev-parse", "HEAD^{tree}")
	a := p.root.ours(stdin, args...)
	switch {
	case a.status == 0 && p.root.git("rev-parse", "HEAD^{tree}") != before:
		p.done[args[0]]++
		return true
	case a.status == 1 && a.Code == "ERR_DESTINATION_EXISTS":
		p.root.clean()
	case a.status != 0:
		p.root.t.Fatalf("%q: %d, %s: %s", args, a.status, a.Code, a.Error)
	}
	return false
}

// command is a random one whose conditions are met.
func (p *person) command() (stdin string, args []string) {
	active := p.active()
	if len(active) < 4 {
		return "", p.write()
	}
	p.Shuffle(len(active), func(i, k int) { active[i], active[k] = active[k], active[i] })
	a, b := active[0], active[1]
	switch p.IntN(10) {
	case 0, 1:
		return "", p.write()
	case 2:
		return p.batch(), []string{"apply"}
	case 3:
		args := []string{"correct", a, "--claim", p.claim(), "--reason", "measured " + p.pick(subjects)}
		if p.IntN(2) == 0 {
			args = append(args, "--title", "Measured "+p.pick(subjects))
		}
		return "", args
	case 4:
		return "", []string{"archive", a, "--reason", "no longer\nof use"}
	case 5:
		return "", []string{"supersede", a, b}
	case 6:
		return "", []string{"link", a, p.pick(rels), b}
	case 7:
		return "", []string{"merge", a, b}
	case 8:
		return "", []string{"update", a, "--tag", p.pick(tags), "--claim", p.claim()}
	}
	return "", []string{"undo"}
}

func (p *person) write() []string {
	args := []string{"write", "--title", "About " + p.pick(subjects), "--type", p.pick(types), "--claim", p.claim()}
	for range p.IntN(3) {
		args = append(args, "--body", "Said by "+p.pick(subjects)+".", "--tag", p.pick(tags))
	}
	if p.IntN(3) == 0 {
		args = append(args, "--workspace", "Yard", "--entity", "person:Ines", "--importance", "7", "--session-id", "s-1")
	}
	return args
}

// batch is up to four operations, one of them a task.
func (p *person) batch() string {
	var lines strings.Builder
	for i := range 1 + p.IntN(4) {
		operation := map[string]any{"op": "write", "title": "About " + p.pick(subjects), "type": p.pick(types)}
		if i == 1 {
			operation["type"], operation["status"] = "task", "doing"
		}
		operation["body"] = p.claim() + " More of it.\n\n```go\nx := 1\n\ny := 2\n```"
		line, err := json.Marshal(operation)
		if err != nil {
			p.root.t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	return lines.String()
}

// active are the memories that may take part in any command: no tasks.
func (p *person) active() []string {
	return slices.DeleteFunc(p.root.memories(), func(path string) bool {
		return memory.IsArchived(path) || strings.Contains(path, "/tasks/")
	})
}

// sample is some of the memories, archived ones too.
func (p *person) sample(n int) []string {
	paths := p.root.memories()
	p.Shuffle(len(paths), func(i, k int) { paths[i], paths[k] = paths[k], paths[i] })
	return paths[:min(n, len(paths))]
}

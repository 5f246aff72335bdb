// Package corpusgen makes memories for tests and benchmarks: as many as asked
// for, the same for the same seed on every machine and day, with known numbers
// of duplicates and conflicts. It is not a source of believable prose.
package corpusgen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Corpus is a generated set of memories.
type Corpus struct {
	Files []File
	// Duplicates is how many files have the article of an earlier one, Conflicts
	// how many fill the frame of another with a different value: the numbers of
	// findings of a check in which nothing else is found.
	Duplicates, Conflicts int
	// Links, Tasks and Archived are how many files have a link, are a task, and
	// lie in the archive.
	Links, Tasks, Archived int
}

// File is one generated memory.
type File struct {
	// Path is relative to the root.
	Path  string
	Bytes []byte
}

// Shares of the files, in percent. A role's partner is another file, so that
// no file is in two relations.
const (
	duplicateShare = 2
	conflictShare  = 3
	taskShare      = 3
	archivedShare  = 5
	linkShare      = 10
)

// role is what is special about a file.
type role int

const (
	plain role = iota
	duplicate
	conflict
	task
	archived
)

// Generate returns n memories of about 1 KB.
func Generate(n int, seed uint64) *Corpus {
	random := rand.New(rand.NewPCG(seed, uint64(n)))
	order := random.Perm(n)
	c := &Corpus{
		Files: make([]File, n), Duplicates: n * duplicateShare / 100, Conflicts: n * conflictShare / 100,
		Tasks: n * taskShare / 100, Archived: n * archivedShare / 100,
	}
	take := func(k int) []int { taken := order[:k]; order = order[k:]; return taken }

	facts := make([]fact, n)
	for i := range facts {
		facts[i] = newFact(i, random)
	}
	assign := func(indices []int, r role) []int {
		for _, i := range indices {
			facts[i].role = r
		}
		return indices
	}
	first := take(c.Duplicates)
	for k, i := range assign(take(c.Duplicates), duplicate) {
		facts[i].article = facts[first[k]].article
	}
	first = take(c.Conflicts)
	for k, i := range assign(take(c.Conflicts), conflict) {
		facts[first[k]].framed()
		facts[i].contradict(facts[first[k]])
	}
	assign(take(c.Tasks), task)
	assign(take(c.Archived), archived)
	c.Links = len(order) * linkShare / 100
	for k, i := range take(c.Links) {
		facts[i].link = facts[order[k%len(order)]].path()
	}
	for i, f := range facts {
		c.Files[i] = File{f.path(), f.render()}
	}
	return c
}

// fact is what becomes one file.
type fact struct {
	index   int
	role    role
	link    string
	created string
	article
	frame string
	value int
}

// article is what the content hash is made of.
type article struct{ claim, body, more string }

// newFact makes a fact that no other index has. Two in three fill a frame.
func newFact(i int, random *rand.Rand) fact {
	f := fact{
		index:   i,
		created: fmt.Sprintf("%d-%02d-%02dT%02d:%02d:00Z", 2022+i%4, 1+random.IntN(12), 1+random.IntN(28), random.IntN(24), random.IntN(60)),
		frame:   fmt.Sprintf("The %s of the %s %s is", subject(i), pick(colours, i/len(subjects)), system(i)),
		value:   1 + random.IntN(900),
	}
	f.body = prose(random, 30)
	f.more = prose(random, 35)
	if i%3 == 0 {
		f.claim = fmt.Sprintf("Whoever runs the %s %s checks its %s before noon, then tells the %s team.",
			pick(colours, i/len(subjects)), system(i), subject(i), pick(colours, random.IntN(len(colours))))
		return f
	}
	f.framed()
	return f
}

// framed makes the claim fill the frame.
func (f *fact) framed() {
	f.claim = fmt.Sprintf("%s %d %s.", f.frame, f.value, pick(units, f.index))
}

// contradict makes the claim fill the frame of other with another value.
func (f *fact) contradict(other fact) {
	f.frame, f.value = other.frame, other.value+1+f.index%50
	f.framed()
}

func subject(i int) string { return pick(subjects, i) }

// system names one system for each run of indices that use up the other words.
func system(i int) string {
	k := i / len(subjects) / len(colours)
	return fmt.Sprintf("%s %d", pick(systems, k), k)
}

func pick(words []string, i int) string { return words[i%len(words)] }

// prose is n words without a frame in them.
func prose(random *rand.Rand, n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fillers[random.IntN(len(fillers))]
	}
	return strings.Join(words, " ") + "."
}

func (f *fact) path() string {
	folder := fmt.Sprintf("areas/%s", pick(systems, f.index/40))
	switch {
	case f.role == task:
		folder = fmt.Sprintf("projects/%s/tasks", pick(systems, f.index))
	case f.role == archived:
		folder = fmt.Sprintf("archive/%d/areas/%s", 2022+f.index%4, pick(systems, f.index))
	case f.index%5 == 1:
		folder = fmt.Sprintf("projects/%s/%s", pick(systems, f.index/7), pick(colours, f.index/150))
	case f.index%5 == 2:
		folder = fmt.Sprintf("resources/%s", pick(subjects, f.index/60))
	}
	name := strings.ReplaceAll(fmt.Sprintf("%s-%s", subject(f.index), pick(colours, f.index/len(subjects))), " ", "-")
	return fmt.Sprintf("%s/%s-%d.html", folder, name, f.index)
}

// render writes the file as memhtml does (format.md §6).
func (f *fact) render() []byte {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	meta := func(name, value string) { line(`<meta name="memhtml-%s" content="%s">`, name, value) }
	line("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")
	line("<title>%s, note %d</title>", subject(f.index), f.index)
	meta("type", f.kind())
	meta("status", map[bool]string{true: "archived", false: "active"}[f.role == archived])
	meta("created", f.created)
	meta("updated", f.created)
	meta("confidence", fmt.Sprintf("0.%02d", 50+f.index%50))
	hash := sha256.Sum256([]byte(f.claim + " " + f.body + " " + f.more))
	meta("content-hash", "sha256:"+hex.EncodeToString(hash[:]))
	meta("author", "agent")
	if f.role == task {
		meta("task-status", pick([]string{"todo", "doing", "done"}, f.index))
	}
	meta("tag", pick(subjects, f.index/3))
	if f.link != "" {
		line(`<link rel="memhtml-relates-to" href="/%s">`, f.link)
	}
	line("</head>\n<body>\n<article>\n<p><mark>%s</mark> %s</p>\n<p>%s</p>\n</article>\n</body>\n</html>", f.claim, f.body, f.more)
	return []byte(b.String())
}

func (f *fact) kind() string {
	if f.role == task {
		return "task"
	}
	return pick([]string{"semantic", "procedural", "episodic", "agent_insight", "error_pattern"}, f.index)
}

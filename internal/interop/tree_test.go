//go:build interop

package interop

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// stamp is an instant as both programs write it.
var stamp = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// clock takes out of a text what the two programs' own clocks have put in, and
// nothing else: instants and dates between its start and now.
type clock struct{ start time.Time }

func startClock() clock { return clock{time.Now().UTC().Truncate(time.Second)} }

func (c clock) normal(text string) string {
	now := time.Now().UTC()
	text = stamp.ReplaceAllStringFunc(text, func(s string) string {
		at, err := time.Parse(time.RFC3339, s)
		if err != nil || at.Before(c.start) || at.After(now) {
			return s
		}
		return "NOW"
	})
	for _, at := range []time.Time{c.start, now} {
		text = strings.ReplaceAll(text, at.Format("20060102-"), "TODAY-")
		text = strings.ReplaceAll(text, "archive/"+at.Format("2006")+"/", "archive/YEAR/")
	}
	return text
}

// tree is every memory of the last commit, by path, without the clock. What is
// on disk must be the same.
func (r *root) tree(c clock) map[string]string {
	r.t.Helper()
	r.clean()
	files := map[string]string{}
	for _, path := range r.memories() {
		files[c.normal(path)] = c.normal(r.read(path))
	}
	return files
}

// clean demands that git sees no change that is not committed.
func (r *root) clean() {
	r.t.Helper()
	if status := r.git("status", "--porcelain"); status != "" {
		r.t.Errorf("git status:\n%s", status)
	}
}

// memories are the paths of the memories that git tracks.
func (r *root) memories() []string {
	r.t.Helper()
	paths := strings.Split(strings.TrimSuffix(r.git("ls-files", "-z"), "\x00"), "\x00")
	return slices.DeleteFunc(paths, func(p string) bool { return !memory.IsMemoryPath(p) })
}

func (r *root) read(path string) string {
	r.t.Helper()
	source, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(path)))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(source)
}

// log is the whole message of every commit but the first, oldest first, without
// the clock.
func (r *root) log(c clock) []string {
	r.t.Helper()
	messages := strings.Split(strings.TrimSuffix(r.git("log", "--reverse", "--format=%B%x00"), "\x00\n"), "\x00\n")
	for i := range messages {
		messages[i] = c.normal(strings.TrimSpace(messages[i]))
	}
	return messages[1:]
}

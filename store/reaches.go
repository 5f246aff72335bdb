package store

import (
	"container/heap"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// builtOn tells whether a commit is the journal's or has it in its history.
func (r *Repo) builtOn(from oid, j *journal) (bool, error) {
	old, _ := parseOID(j.Old)
	switch made := j.newID(); {
	case from == made:
		return true, nil
	case from == (oid{}) || from == old || !r.hasObject(made):
		return false, nil
	default:
		w, err := r.newSideWalk()
		if err != nil {
			return false, err
		}
		return w.reaches(from, made, old)
	}
}

// reaches tells whether a commit is in the history of another. Of the history
// it looks only at what is not also in that of base, which to was made on and
// which therefore lacks it: a few commits, however many there are.
func (w *sideWalk) reaches(from, to, base oid) (bool, error) {
	if base != (oid{}) && w.r.hasObject(base) {
		if err := w.push(base, true); err != nil {
			return false, err
		}
	}
	if err := w.push(from, false); err != nil {
		return false, err
	}
	for w.open > 0 {
		c := heap.Pop(&w.queue).(*sideCommit)
		c.queued = false
		if !c.stale {
			w.open--
		}
		if c.id == to {
			return true, nil
		}
		for _, p := range c.parents {
			if err := w.push(p, c.stale); err != nil {
				return false, err
			}
		}
	}
	return false, nil
}

// sideWalk visits the newest commit first, from two sides at once. Commits of
// the stale side are not wanted; open counts the queued ones of the other.
type sideWalk struct {
	r       *Repo
	shallow map[oid]bool
	seen    map[oid]*sideCommit
	queue   sideQueue
	open    int
}

type sideCommit struct {
	commitObject
	id            oid
	stale, queued bool
}

func (r *Repo) newSideWalk() (*sideWalk, error) {
	shallow, err := r.shallow()
	return &sideWalk{r: r, shallow: shallow, seen: map[oid]*sideCommit{}}, err
}

// push queues a commit that is new, or that is found to be stale after all.
func (w *sideWalk) push(id oid, stale bool) error {
	c := w.seen[id]
	switch {
	case c == nil:
		read, err := w.r.commit(id)
		if err != nil {
			return err
		}
		if w.shallow[id] {
			read.parents = nil
		}
		c = &sideCommit{commitObject: read, id: id, stale: stale}
		w.seen[id] = c
	case c.stale || !stale:
		return nil
	default:
		c.stale = true
		if c.queued {
			w.open--
			return nil
		}
	}
	c.queued = true
	heap.Push(&w.queue, c)
	if !c.stale {
		w.open++
	}
	return nil
}

// shallow are the commits at which the history of a shallow clone ends: they
// name parents that are not there.
func (r *Repo) shallow() (map[oid]bool, error) {
	b, err := os.ReadFile(filepath.Join(r.commonDir, "shallow"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ends := map[oid]bool{}
	for line := range strings.Lines(string(b)) {
		if id, err := parseOID(strings.TrimSpace(line)); err == nil {
			ends[id] = true
		}
	}
	return ends, nil
}

type sideQueue []*sideCommit

func (q sideQueue) Len() int           { return len(q) }
func (q sideQueue) Less(i, j int) bool { return q[i].when > q[j].when }
func (q sideQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *sideQueue) Push(x any)        { *q = append(*q, x.(*sideCommit)) }
func (q *sideQueue) Pop() any {
	old := *q
	c := old[len(old)-1]
	*q = old[:len(old)-1]
	return c
}

package store

import (
	"cmp"
	"context"
	"slices"
)

// FindMove returns the newest commit that took the root-relative path away,
// looking at no more than limit commits from HEAD. It finds nothing while HEAD
// has the path. Of a merge it looks at the side on which the path went.
func (r *Repo) FindMove(ctx context.Context, from string, limit int) (commit string, ok bool, err error) {
	head, err := r.Head(ctx)
	if err != nil || head.Unborn {
		return "", false, err
	}
	w := walk{r: r, path: r.full(from), seen: map[oid]bool{}, has: map[oid]bool{}}
	if err := w.push(head.id()); err != nil {
		return "", false, err
	}
	for range limit {
		c, more := w.pop()
		if !more || c.has {
			return "", false, nil
		}
		if err := ctx.Err(); err != nil {
			return "", false, cancelled(err)
		}
		took, err := w.visit(c)
		if err != nil || took {
			return c.id.String(), took, err
		}
	}
	return "", false, nil
}

// walk goes through commits that lack the path, newest first.
type walk struct {
	r     *Repo
	path  string
	seen  map[oid]bool
	queue []walked
	// has remembers for a root tree whether it has the path.
	has map[oid]bool
}

type walked struct {
	commitObject
	id  oid
	has bool
}

func (w *walk) read(id oid) (c walked, err error) {
	c.id = id
	if c.commitObject, err = w.r.commit(id); err != nil {
		return c, err
	}
	has, known := w.has[c.tree]
	if !known {
		if _, has, err = w.r.lookup(c.tree, w.path); err != nil {
			return c, err
		}
		w.has[c.tree] = has
	}
	c.has = has
	return c, nil
}

func (w *walk) push(id oid) error {
	if w.seen[id] {
		return nil
	}
	w.seen[id] = true
	c, err := w.read(id)
	if err == nil {
		w.queue = append(w.queue, c)
	}
	return err
}

func (w *walk) pop() (walked, bool) {
	if len(w.queue) == 0 {
		return walked{}, false
	}
	i := 0
	for k := range w.queue {
		if cmp.Less(w.queue[i].when, w.queue[k].when) {
			i = k
		}
	}
	c := w.queue[i]
	w.queue = slices.Delete(w.queue, i, i+1)
	return c, true
}

// visit tells whether every parent of the commit has the path, and else queues
// those that lack it. The history of a shallow clone ends where its parents
// are missing.
func (w *walk) visit(c walked) (took bool, err error) {
	var lack []oid
	for _, p := range c.parents {
		if !w.r.hasObject(p) {
			continue
		}
		parent, err := w.read(p)
		if err != nil {
			return false, err
		}
		if parent.has {
			took = true
			continue
		}
		lack = append(lack, p)
	}
	if len(lack) == 0 {
		return took, nil
	}
	for _, p := range lack {
		if err := w.push(p); err != nil {
			return false, err
		}
	}
	return false, nil
}

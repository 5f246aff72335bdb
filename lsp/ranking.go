package lsp

import "github.com/tidwall/btree"

// ranking chooses which closed files are shown where more have findings than
// the limit: those with the most severe finding, and of equals the first by
// path. The choice depends on the present findings alone and not on how they
// came about, and each change of it costs O(log n).
type ranking struct {
	limit int
	// ranks are all files with findings; shown are the first limit of them in
	// order, left are the others.
	ranks       map[string]rank
	shown, left *btree.BTreeG[rank]
}

// rank is where a file stands.
type rank struct {
	// severity is that of the worst finding: 1 is an error, 4 a hint.
	severity int
	key      string
}

func (p rank) before(q rank) bool {
	if p.severity != q.severity {
		return p.severity < q.severity
	}
	return p.key < q.key
}

func newRanking(limit int) *ranking {
	tree := func() *btree.BTreeG[rank] {
		return btree.NewBTreeGOptions(rank.before, btree.Options{NoLocks: true})
	}
	return &ranking{limit: limit, ranks: map[string]rank{}, shown: tree(), left: tree()}
}

// set gives a file the severity of its worst finding, 0 when it has none or is
// not to be counted. It returns the other files that are shown from now on, and
// those that are not any more.
func (r *ranking) set(key string, severity int) (come, gone []string) {
	was, ranked := r.ranks[key]
	if ranked && was.severity == severity {
		return nil, nil
	}
	if ranked {
		delete(r.ranks, key)
		r.shown.Delete(was)
		r.left.Delete(was)
	}
	if severity > 0 {
		r.ranks[key] = rank{severity, key}
		r.shown.Set(r.ranks[key])
	}
	return r.balance(key)
}

// limitTo changes the limit, and returns what moves.
func (r *ranking) limitTo(n int) (come, gone []string) {
	r.limit = n
	return r.balance("")
}

// balance moves files over the limit until the first ones are shown, and
// returns which moved; the file that caused it is not among them.
func (r *ranking) balance(cause string) (come, gone []string) {
	for {
		last, some := r.shown.Max()
		next, waits := r.left.Min()
		switch {
		case r.shown.Len() > r.limit, some && waits && next.before(last):
			r.shown.Delete(last)
			r.left.Set(last)
			if last.key != cause {
				gone = append(gone, last.key)
			}
		case waits && r.shown.Len() < r.limit:
			r.left.Delete(next)
			r.shown.Set(next)
			if next.key != cause {
				come = append(come, next.key)
			}
		default:
			return come, gone
		}
	}
}

// shows reports whether a file is among those that are shown.
func (r *ranking) shows(key string) bool {
	at, ranked := r.ranks[key]
	if !ranked {
		return false
	}
	_, shown := r.shown.Get(at)
	return shown
}

// leftOut is the number of files with findings that are not shown.
func (r *ranking) leftOut() int { return r.left.Len() }

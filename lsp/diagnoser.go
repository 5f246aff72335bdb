package lsp

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/memhtml-ls/memhtml-ls/session"
)

// diagnoser decides what is looked at when. Whatever changed is marked; one
// goroutine takes the marks, computes findings of the newest View and
// publishes them, so that they leave in order and one change of many files is
// one pass.
//
// While a person types, findings about the file alone follow at once, and
// those that need other files keep their last state until the keyboard rests
// for the debounce time, in every file they concern: squiggles that come and
// go with every letter help nobody.
type diagnoser struct {
	s    *server
	wake chan struct{}

	mu sync.Mutex // guards everything below
	// marked are the files to look at, by real path; waiting are those whose
	// relation findings wait for the keyboard to rest.
	marked, waiting map[string]bool
	// whole are the roots of which every file is looked at.
	whole map[*root]bool
	// owed are the files whose next set is sent even if it was sent before.
	owed map[string]bool
	// muted are the files that show nothing: opened as something else.
	muted map[string]bool
	// dropped are the folders of which nothing is shown any more.
	dropped map[string]bool
	// rests is when the keyboard will have rested long enough.
	rests time.Time

	// held is what relation findings were last published of open documents;
	// only the publishing goroutine touches it.
	held map[string]session.Report
}

func newDiagnoser(s *server) *diagnoser {
	return &diagnoser{
		s: s, wake: make(chan struct{}, 1),
		marked: map[string]bool{}, waiting: map[string]bool{}, whole: map[*root]bool{},
		owed: map[string]bool{}, muted: map[string]bool{}, dropped: map[string]bool{},
		held: map[string]session.Report{},
	}
}

// mark changes what is to be done and wakes the publishing goroutine.
func (d *diagnoser) mark(change func()) {
	d.mu.Lock()
	change()
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// changed marks files of a root whose findings may be others now.
func (d *diagnoser) changed(dir string, paths []string) {
	if len(paths) == 0 {
		return
	}
	d.mark(func() {
		for _, path := range paths {
			d.marked[filepath.Join(dir, filepath.FromSlash(path))] = true
		}
	})
}

// everything marks all files of a root.
func (d *diagnoser) everything(r *root) { d.mark(func() { d.whole[r] = true }) }

// alone marks a file outside every root.
func (d *diagnoser) alone(key string) { d.mark(func() { d.marked[key] = true }) }

// typed says that a key was pressed in a file, and how long the keyboard has to
// rest now. It comes before the change.
func (d *diagnoser) typed(key string, rest time.Duration) {
	d.mark(func() {
		d.marked[key] = true
		d.rests = time.Now().Add(rest)
	})
}

// settled says that what was typed is meant: it was saved.
func (d *diagnoser) settled() { d.mark(func() { d.rests = time.Time{} }) }

// owe asks for an answer for a file that was opened, even if it is empty.
func (d *diagnoser) owe(doc *document) {
	d.mark(func() { d.owed[doc.key], d.marked[doc.key] = true, true })
}

// mute makes a file show nothing, or speak again.
func (d *diagnoser) mute(key string, quiet bool) {
	d.mark(func() {
		if d.muted[key] == quiet {
			return
		}
		if quiet {
			d.muted[key] = true
		} else {
			delete(d.muted, key)
		}
		d.marked[key] = true
	})
}

// drop takes away everything that is shown below a folder.
func (d *diagnoser) drop(dir string) { d.mark(func() { d.dropped[dir] = true }) }

// run is the publishing goroutine.
func (d *diagnoser) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wake:
		case <-timer.C:
		}
		if rest := d.round(ctx); rest > 0 {
			timer.Reset(rest)
		}
	}
}

// work is what one round has to do.
type work struct {
	files   []string
	whole   map[*root]bool
	dropped map[string]bool
	// owed are taken with the marks and before the Views, so that the answer
	// to an opened document is made of a View that has it.
	owed map[string]bool
	// typing says that only what needs no other file is to be renewed.
	typing bool
}

// take empties the marks. rest is how long the waiting files still wait, 0 when
// none does.
func (d *diagnoser) take() (w work, rest time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	rest = time.Until(d.rests)
	w = work{whole: d.whole, dropped: d.dropped, owed: d.owed, typing: rest > 0}
	files := d.marked
	d.marked, d.dropped, d.owed = map[string]bool{}, map[string]bool{}, map[string]bool{}
	if w.typing {
		w.whole = nil
		for key := range files {
			d.waiting[key] = true
		}
	} else {
		for key := range d.waiting {
			files[key] = true
		}
		d.waiting, d.whole, rest = map[string]bool{}, map[*root]bool{}, 0
	}
	for key := range files {
		w.files = append(w.files, key)
	}
	return w, rest
}

// roundSize is how many files one round looks at, so that a key that is pressed
// during the first pass over a large root is answered soon.
const roundSize = 256

// round does what is marked, a part of it when it is much.
func (d *diagnoser) round(ctx context.Context) (rest time.Duration) {
	defer recovered(d.s.log, "diagnosing")
	w, rest := d.take()
	for dir := range w.dropped {
		d.clearBelow(dir)
	}
	for r := range w.whole {
		w.files = append(w.files, d.s.worthALook(r)...)
	}
	open := d.openFirst(w.files)
	if len(w.files) > roundSize {
		later := w.files[roundSize:]
		w.files = w.files[:roundSize]
		d.mark(func() {
			for _, key := range later {
				d.marked[key] = true
			}
		})
	}
	views := newViews(d.s)
	for _, key := range w.files {
		if ctx.Err() != nil {
			return 0
		}
		if !w.typing || open[key] {
			d.look(views, w, key)
		}
	}
	d.keepOwed(w.owed)
	return rest
}

// openFirst sorts open documents to the front: somebody looks at them.
func (d *diagnoser) openFirst(files []string) (open map[string]bool) {
	open = map[string]bool{}
	for _, key := range files {
		if _, ok := d.s.documentOf(key); ok {
			open[key] = true
		}
	}
	slices.SortFunc(files, func(a, b string) int {
		switch {
		case open[a] == open[b]:
			return cmp.Compare(a, b)
		case open[a]:
			return -1
		default:
			return 1
		}
	})
	return open
}

func (d *diagnoser) clearBelow(dir string) {
	for _, key := range d.s.publisher.shown() {
		if _, ok := below(dir, key); ok {
			d.s.publisher.clear(key)
		}
	}
}

// keepOwed keeps what could not be answered in this round.
func (d *diagnoser) keepOwed(owed map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range owed {
		d.owed[key] = true
	}
}

func (d *diagnoser) isMuted(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.muted[key]
}

package lsp

import (
	"context"
	"maps"
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
	// early are the files that could not be looked at because their root had no
	// index yet.
	early map[string]bool
	// owed are the files whose next set is sent even if it was sent before.
	owed map[string]bool
	// asked are the files for whose next set somebody waits.
	asked map[string][]*question
	// muted are the files that show nothing: opened as something else.
	muted map[string]bool
	// missed are the files that were not on disk what their View says, nil without
	// any; see miss.
	missed map[string]bool
	// dropped are the folders of which nothing is shown any more.
	dropped map[string]bool
	// rests is when the keyboard will have rested long enough.
	rests time.Time

	// What follows belongs to the publishing goroutine.

	// held is what relation findings were last published of open documents.
	held map[string]session.Report
	// backlog are the closed files that are still to be looked at, in order, and
	// queued says which they are.
	backlog []string
	queued  map[string]bool
	// leftOut says that the log knows that files are left out.
	leftOut bool
}

func newDiagnoser(s *server) *diagnoser {
	return &diagnoser{
		s: s, wake: make(chan struct{}, 1),
		marked: map[string]bool{}, waiting: map[string]bool{}, early: map[string]bool{},
		owed: map[string]bool{}, muted: map[string]bool{}, dropped: map[string]bool{},
		asked: map[string][]*question{},
		held:  map[string]session.Report{}, queued: map[string]bool{},
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
	keys := make([]string, len(paths))
	for i, path := range paths {
		keys[i] = filepath.Join(dir, filepath.FromSlash(path))
	}
	d.again(keys)
}

// again marks files.
func (d *diagnoser) again(keys []string) {
	if len(keys) == 0 {
		return
	}
	d.mark(func() {
		for _, key := range keys {
			d.marked[key] = true
		}
	})
}

// ready says that a root has its first index, and marks the files that are worth
// a look and those for which it was too early.
func (d *diagnoser) ready(r *root, keys []string) {
	d.mark(func() {
		close(r.ready)
		for _, key := range keys {
			d.marked[key] = true
		}
		maps.Copy(d.marked, d.early)
		clear(d.early)
	})
}

// tooEarly keeps a file until its root is ready. When it is by now, the look comes
// again: this one is made of an older View.
func (d *diagnoser) tooEarly(r *root, key string) {
	d.mu.Lock()
	ready := isReady(r)
	if !ready {
		d.early[key] = true
	}
	d.mu.Unlock()
	if ready {
		d.alone(key)
	}
}

// alone marks one file.
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

// question waits for the findings of a file.
type question struct {
	answer chan *findings
	// dropped says that nobody waits any more; guarded by diagnoser.mu.
	dropped bool
}

// ask returns where the findings of a file arrive once they have been made of
// everything that came before. forget ends the wait.
func (d *diagnoser) ask(key string) (answer <-chan *findings, forget func()) {
	q := &question{answer: make(chan *findings, 1)}
	d.mark(func() { d.asked[key] = append(d.asked[key], q) })
	return q.answer, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		q.dropped = true
	}
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
	dropped map[string]bool
	// owed and asked are taken before the Views, so that the answer to an opened
	// document is made of a View that has it.
	owed  map[string]bool
	asked map[string][]*question
	// typing says that only what needs no other file is to be renewed.
	typing bool
}

// take empties the marks. rest is how long the waiting files still wait, 0 when
// none does.
func (d *diagnoser) take() (w work, rest time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	rest = time.Until(d.rests)
	w = work{dropped: d.dropped, asked: d.asked, typing: rest > 0}
	files := d.marked
	d.marked, d.dropped = map[string]bool{}, map[string]bool{}
	d.asked = map[string][]*question{}
	if w.typing {
		for key := range files {
			d.waiting[key] = true
		}
	} else {
		for key := range d.waiting {
			files[key] = true
		}
		d.waiting, rest = map[string]bool{}, 0
	}
	for key := range w.asked {
		files[key] = true
	}
	for key := range files {
		w.files = append(w.files, key)
	}
	return w, rest
}

// takeOwed takes the answers that are owed. It comes after the look at which of the
// files are open, which waits for a document that is being opened: its mark alone
// would be answered twice.
func (d *diagnoser) takeOwed() map[string]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	owed := d.owed
	d.owed = map[string]bool{}
	return owed
}

// roundSize is how many closed files one round looks at. Where more are left and
// something is marked meanwhile it ends with the file it is at, so that a key that is
// pressed during the first pass over a large root is answered at once.
const roundSize = 32

// sortedMarks is up to how many marked files are looked at in the order of their
// names. To sort a hundred thousand takes as long as to answer ten keys.
const sortedMarks = 4096

// round does what is marked, a part of it when it is much.
func (d *diagnoser) round(ctx context.Context) (rest time.Duration) {
	defer recovered(d.s.log, "diagnosing")
	w, rest := d.take()
	for dir := range w.dropped {
		d.s.publisher.drop(dir)
	}
	d.s.publisher.limitTo(int(d.s.maxFiles.Load()))
	now := d.enqueue(w)
	w.owed = d.takeOwed()
	views := newViews(d.s)
	for _, key := range now {
		if ctx.Err() != nil {
			return 0
		}
		d.look(views, w, key)
	}
	for n := 0; n < roundSize && !w.typing && len(d.backlog) > 0; n++ {
		if ctx.Err() != nil || n > 0 && len(d.backlog) > roundSize && d.isMarked() {
			break
		}
		d.look(views, w, d.dequeue())
	}
	d.keepOwed(w)
	d.finish(w)
	return rest
}

// enqueue puts closed files behind those that are still to be looked at, and
// returns those that are looked at now: open documents, since somebody looks at
// them, and files that somebody asks for. While a person types the others are
// marked to wait.
func (d *diagnoser) enqueue(w work) (now []string) {
	if len(w.files) <= sortedMarks {
		slices.Sort(w.files)
	}
	for _, key := range w.files {
		_, open := d.s.documentOf(key)
		switch {
		case open || w.asked[key] != nil:
			now = append(now, key)
		case !w.typing && !d.queued[key]:
			d.queued[key] = true
			d.backlog = append(d.backlog, key)
		}
	}
	return now
}

// dequeue takes the first file of the backlog.
func (d *diagnoser) dequeue() string {
	key := d.backlog[0]
	d.backlog = d.backlog[1:]
	delete(d.queued, key)
	return key
}

// isMarked reports whether there is something to do that came since the round
// began.
func (d *diagnoser) isMarked() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.marked)+len(d.asked)+len(d.dropped) > 0
}

// finish shows what a round found, and tells the channel when nothing is left to
// be looked at.
func (d *diagnoser) finish(w work) {
	left := d.s.publisher.flush(len(d.backlog), d.isMarked)
	// Asked before the marks: a root that gets ready has marked its files.
	ready := d.s.allReady()
	d.mu.Lock()
	idle := len(d.backlog)+len(d.marked)+len(d.waiting)+len(d.dropped) == 0
	d.mu.Unlock()
	switch {
	case left || !w.typing && len(d.backlog) > 0:
		d.mark(func() {})
	case idle && ready:
		d.s.publisher.channel.settle()
		d.tellLeftOut()
	}
}

// tellLeftOut says once that not every file is shown; the status says it always.
func (d *diagnoser) tellLeftOut() {
	n := d.s.publisher.ranking.leftOut()
	if d.s.leftOut.Swap(int64(n)) == int64(n) {
		return
	}
	d.s.statusOfAll()
	if !d.leftOut {
		d.leftOut = true
		d.s.log.Warn("more files have findings than are shown; open ones always are",
			"left out", n, "limit", d.s.publisher.ranking.limit)
	}
}

// keepOwed keeps what could not be answered in this round.
func (d *diagnoser) keepOwed(w work) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range w.owed {
		d.owed[key] = true
	}
	for key, waiting := range w.asked {
		waiting = slices.DeleteFunc(append(waiting, d.asked[key]...), func(q *question) bool { return q.dropped })
		if len(waiting) > 0 {
			d.asked[key] = waiting
		}
	}
}

func (d *diagnoser) isMuted(key string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.muted[key]
}

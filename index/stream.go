package index

import (
	"context"
	"iter"
	"sync"
)

// ScanAll is [Walked.Scan] for a disk of which nothing is known. While it goes on,
// ready is given the rows: in the order of their paths, each once, by one goroutine
// at a time. It may change them, and a row without a file is of one that went away.
func (w *Walked) ScanAll(ctx context.Context, progress func(done, total int), ready func([]Row)) (Scanned, error) {
	s := newScan(w.top, w.seen, progress)
	s.ready, s.folders = ready, w.folders
	s.compare(nil, w.found)
	return s.run(ctx)
}

// finishTurn gives away the rows of all turns before the first that is not
// finished. Nothing was known, so that there is a job for every row.
func (s *scan) finishTurn(turns [][]job, i int) {
	if s.ready == nil {
		return
	}
	s.readyMu.Lock()
	defer s.readyMu.Unlock()
	if s.finished == nil {
		s.finished = make([]bool, len(turns))
	}
	s.finished[i] = true
	for len(s.finished) > s.given && s.finished[s.given] {
		turn := turns[s.given]
		s.given++
		s.ready(s.rows[turn[0].place : turn[len(turn)-1].place+1])
	}
}

// streamStep is how many rows wait until whoever writes them is woken.
const streamStep = 256

// Stream takes rows from a scan to a [DB.Replace] that writes them meanwhile.
type Stream struct {
	// mu guards the rest; grown tells that there is more of it.
	mu    sync.Mutex
	grown sync.Cond
	rows  []Row
	// told is how many rows there were when grown was last told.
	told  int
	ended bool
}

// NewStream returns a stream without rows.
func NewStream() *Stream {
	s := &Stream{}
	s.grown.L = &s.mu
	return s
}

// Add adds the rows that have a file.
func (s *Stream) Add(rows []Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rows {
		if r.File != nil {
			s.rows = append(s.rows, r)
		}
	}
	if len(s.rows)-s.told >= streamStep {
		s.told = len(s.rows)
		s.grown.Broadcast()
	}
}

// End says that there will be no more rows. Where that is because of an error, the
// context of whoever reads them has to be done before, or they are taken for all.
func (s *Stream) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.grown.Broadcast()
}

// Wait waits for the end.
func (s *Stream) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.ended {
		s.grown.Wait()
	}
}

// Rows are all rows there have been so far.
func (s *Stream) Rows() []Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows[:len(s.rows):len(s.rows)]
}

// All are the rows in the order in which they came. It waits for more until the
// stream has ended, and may be walked more than once.
func (s *Stream) All() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for at := 0; ; {
			rows := s.after(at)
			for _, r := range rows {
				if !yield(r) {
					return
				}
			}
			if at += len(rows); len(rows) == 0 {
				return
			}
		}
	}
}

// after waits for rows behind the first at, and returns none at the end.
func (s *Stream) after(at int) []Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.rows) == at && !s.ended {
		s.grown.Wait()
	}
	return s.rows[at:len(s.rows):len(s.rows)]
}

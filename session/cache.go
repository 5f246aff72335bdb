package session

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// flushDelay is how long changes gather before they are written to the
// database: nobody waits for it, so it only has to be rare. What could not be
// written is tried again after retryDelay.
const (
	flushDelay = 500 * time.Millisecond
	retryDelay = 5 * time.Second
)

// closeLimit bounds the last write, so that a locked database cannot hold up
// the end of a process; what it misses is read again at the next start.
const closeLimit = 5 * time.Second

// cache writes what the snapshots know behind them into the database (design.md
// §3.6). A cache without a database drops everything.
//
// The servers of one worktree write it in turns, by SQLite's own lock and no
// other: there is no writer to be chosen, or to be replaced when it is killed.
// That is right because nobody has to believe a row. Whoever starts holds each
// against the stat of its file, and what git says of it against HEAD, so an older
// row that was written last costs one reading; and what a command is told it
// holds against the file. The one claim that is believed, that no file between
// two commits is missing, is the watermark's, and is checked as it is written:
// who brings changes since another commit than the one the database is of is
// answered [index.ErrMoved], and writes what lies between as well.
type cache struct {
	root *Root
	log  *slog.Logger

	// writing is held over one write, so that batches arrive in order; it is
	// taken before mu.
	writing sync.Mutex
	// failed is the last error of a write, for status; guarded by mu.
	failed error
	// refused says that the last backlog did not fit what the database holds.
	refused bool

	// mu guards the database handle, which is set once, and the changes that
	// wait.
	mu      sync.Mutex
	db      *index.DB
	rows    map[string]index.Row
	removed map[string]bool
	// links are session links that wait, also without a database.
	links []index.SessionLink
	// whole, when not nil, is to be written in place of all rows first.
	whole []index.Row
	// compared, when not nil, is a comparison of claims to be kept.
	compared *index.Near
	// since is the watermark that the database had when nothing waited; what
	// waits leads from it to watermark.
	since, watermark index.Watermark
	marked           bool
	timer            *time.Timer
	closed           bool
	// along is the write that went on while the first rows were read, or nil.
	along *along
}

func newCache(r *Root) *cache {
	return &cache{root: r, log: r.log, rows: map[string]index.Row{}, removed: map[string]bool{}}
}

// open opens the database unless it is open. A database that cannot be used is
// said in status and costs the next start its time, nothing else.
func (c *cache) open(ctx context.Context, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db != nil || c.closed {
		return
	}
	db, err := index.Open(ctx, path)
	if err != nil {
		c.failed = err
		c.log.Warn("work without the index database", "err", err)
		return
	}
	if why := db.Recreated(); why != "" {
		c.log.Warn("made the index database anew", "why", why)
	}
	c.db = db
}

// handle is the database, nil when there is none to ask.
func (c *cache) handle() *index.DB {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	return c.db
}

func (c *cache) put(row index.Row) {
	c.change(func() {
		delete(c.removed, row.File.Path)
		c.rows[row.File.Path] = row
	})
}

func (c *cache) remove(path string) {
	c.change(func() {
		delete(c.rows, path)
		c.removed[path] = true
	})
}

// replace writes all rows anew, in place of whatever the database holds.
func (c *cache) replace(rows []index.Row) {
	c.change(func() {
		c.rows, c.removed, c.whole = map[string]index.Row{}, map[string]bool{}, rows
	})
}

func (c *cache) mark(head string) {
	c.change(func() { c.watermark, c.marked = index.Watermark{Head: head}, true })
}

func (c *cache) change(apply func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil || c.closed {
		return
	}
	apply()
	c.flushAfter(flushDelay)
}

// flushAfter makes sure that a flush is to come. Caller holds mu.
func (c *cache) flushAfter(delay time.Duration) {
	if c.timer == nil && !c.closed {
		c.timer = time.AfterFunc(delay, func() { _ = c.flush(context.Background()) })
	}
}

// record keeps session links until there is a database to write them to.
func (c *cache) record(links []index.SessionLink) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.links = append(c.links, links...)
	if c.db != nil {
		c.flushAfter(flushDelay)
	}
}

// unrecorded takes the session links that wait.
func (c *cache) unrecorded() []index.SessionLink {
	c.mu.Lock()
	defer c.mu.Unlock()
	links := c.links
	c.links = nil
	return links
}

// writeLinks records what waits. What fails is lost (M111).
func (c *cache) writeLinks(ctx context.Context, db *index.DB) {
	links := c.unrecorded()
	if len(links) == 0 {
		return
	}
	if err := db.Record(ctx, links); err != nil {
		c.log.Warn(unrecorded, "err", err)
	}
}

// backlog is what one flush writes.
type backlog struct {
	rows             map[string]index.Row
	removed          map[string]bool
	whole            []index.Row
	compared         *index.Near
	since, watermark index.Watermark
	// marked says that the watermark is another one, or was not written.
	marked bool
}

func (b backlog) isEmpty() bool {
	return !b.marked && b.whole == nil && b.compared == nil && len(b.rows)+len(b.removed) == 0
}

// flush writes what waits, and lets it wait on when that fails, for a disk that
// is full or locked.
func (c *cache) flush(ctx context.Context) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	// Before the rows, which take what is recorded of a memory with them into the
	// archive.
	c.writeLinks(ctx, c.db)
	b := c.take()
	if b.isEmpty() {
		return nil
	}
	err := c.write(ctx, b)
	moved := errors.Is(err, index.ErrMoved)
	if moved && c.refused {
		err = c.writeOver(ctx, b)
		moved = errors.Is(err, index.ErrMoved)
	}
	c.refused = moved
	if err == nil && b.compared != nil {
		err = c.db.KeepNear(ctx, b.compared)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.since = b.watermark
	} else {
		c.putBack(b)
		c.flushAfter(retryDelay)
	}
	if moved {
		return nil
	}
	if err != nil && (c.failed == nil || c.failed.Error() != err.Error()) {
		c.log.Warn("write the index database", "err", err)
	}
	c.failed = err
	return err
}

// take takes what waits.
func (c *cache) take() backlog {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := backlog{rows: c.rows, removed: c.removed, whole: c.whole, compared: c.compared, since: c.since, watermark: c.watermark, marked: c.marked}
	c.rows, c.removed, c.whole, c.timer, c.marked = map[string]index.Row{}, map[string]bool{}, nil, nil, false
	c.compared = nil
	return b
}

func (c *cache) write(ctx context.Context, b backlog) error {
	if b.whole != nil {
		err := c.db.Replace(ctx, slices.Values(b.whole), b.watermark)
		if err != nil || len(b.rows)+len(b.removed) == 0 {
			return err
		}
		b.since = b.watermark
	}
	return c.db.Apply(ctx, slices.Collect(maps.Values(b.rows)), slices.Collect(maps.Keys(b.removed)), b.since, b.watermark)
}

// writeOver writes a backlog into a database that another process has brought to
// a commit that this root did not stop at, with what lies between that one and
// the backlog's. It is not done at once: mostly the root is about to see the same
// commit.
func (c *cache) writeOver(ctx context.Context, b backlog) error {
	var err error
	if b.since, _, err = c.db.Watermark(ctx); err != nil {
		return err
	}
	changed, err := c.root.repo.Diff(ctx, b.since.Head, b.watermark.Head)
	if err != nil {
		b.whole = c.root.knownRows()
		return c.write(ctx, b)
	}
	c.root.overlay(b, changed)
	return c.write(ctx, b)
}

// overlay lets a backlog say of the changed paths what the View knows.
func (r *Root) overlay(b backlog, changed map[string]bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	snapshot := r.View().Snapshot
	for path := range changed {
		delete(b.rows, path)
		delete(b.removed, path)
		if file := snapshot.Disk(path); file != nil {
			b.rows[path] = index.Row{File: file, Stat: r.stats[path]}
		} else {
			b.removed[path] = true
		}
	}
}

// putBack lets a backlog wait under what came since. Caller holds mu.
func (c *cache) putBack(b backlog) {
	c.marked = true
	if c.compared == nil {
		c.compared = b.compared
	}
	if c.whole != nil {
		return
	}
	c.whole = b.whole
	for path, row := range b.rows {
		if _, newer := c.rows[path]; !newer && !c.removed[path] {
			c.rows[path] = row
		}
	}
	for path := range b.removed {
		if _, newer := c.rows[path]; !newer {
			c.removed[path] = true
		}
	}
}

// waiting is how many changes the database has not seen.
func (c *cache) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.rows) + len(c.removed) + len(c.whole) + len(c.links)
}

// load returns the rows of the last run, or why there are none, which is "" where
// there is no database to have them.
func (c *cache) load(ctx context.Context) (rows []index.Row, mark index.Watermark, why string) {
	db := c.handle()
	if db == nil {
		return nil, mark, ""
	}
	if why := db.Recreated(); why != "" {
		return nil, mark, "The index database was made anew: " + why + "."
	}
	_, filled, err := db.Watermark(ctx)
	if err == nil && !filled {
		return nil, mark, "There was no index database yet, or one of an older version."
	}
	if err == nil {
		rows, mark, err = db.Load(ctx)
	}
	if err != nil {
		c.log.Warn("read the index database", "err", err)
		return nil, index.Watermark{}, "The index database could not be read."
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since, c.watermark = mark, mark
	return rows, mark, ""
}

// problem is why the database is not in use or behind, "" when it is fine.
func (c *cache) problem() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var known *failure.Error
	switch {
	case errors.As(c.failed, &known):
		return known.Message
	case c.failed != nil:
		return "The index database cannot be used."
	default:
		return ""
	}
}

func (c *cache) close() error {
	c.mu.Lock()
	if c.db == nil || c.closed {
		c.closed = true
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.along != nil {
		defer time.AfterFunc(closeLimit, c.along.stop).Stop()
	}
	waiting := c.marked || c.compared != nil || len(c.rows)+len(c.removed)+len(c.whole)+len(c.links) > 0
	c.mu.Unlock()
	var err error
	if waiting {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		err = c.flush(ctx)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if closeErr := c.db.Close(); err == nil {
		err = closeErr
	}
	return err
}

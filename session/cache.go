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
// database: nobody waits for it, so it only has to be rare.
const flushDelay = 500 * time.Millisecond

// closeLimit bounds the last write, so that a locked database cannot hold up
// the end of a process; what it misses is read again at the next start.
const closeLimit = 5 * time.Second

// cache writes what the snapshots know behind them into the database (design.md
// §3.6). A cache without a database drops everything.
type cache struct {
	log *slog.Logger

	// writing is held over one write, so that batches arrive in order; it is
	// taken before mu.
	writing sync.Mutex
	// failed is the last error of a write, for status; guarded by mu.
	failed error

	// mu guards the database handle, which is set once, and the changes that
	// wait.
	mu      sync.Mutex
	db      *index.DB
	rows    map[string]index.Row
	removed map[string]bool
	// whole, when not nil, is to be written in place of all rows first.
	whole     []index.Row
	watermark index.Watermark
	marked    bool
	timer     *time.Timer
	closed    bool
}

func newCache(log *slog.Logger) *cache {
	return &cache{log: log, rows: map[string]index.Row{}, removed: map[string]bool{}}
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
	if c.timer == nil {
		c.timer = time.AfterFunc(flushDelay, func() { _ = c.flush(context.Background()) })
	}
}

// flush writes what waits. What could not be written is not tried again: the
// next start reads it from the disk, because its row is older than the file.
func (c *cache) flush(ctx context.Context) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	whole, watermark := c.whole, c.watermark
	rows, removed := slices.Collect(maps.Values(c.rows)), slices.Collect(maps.Keys(c.removed))
	c.rows, c.removed, c.whole, c.timer, c.marked = map[string]index.Row{}, map[string]bool{}, nil, nil, false
	c.mu.Unlock()
	var err error
	if whole != nil {
		err = c.db.Replace(ctx, slices.Values(whole), watermark)
	}
	if err == nil && (whole == nil || len(rows)+len(removed) > 0) {
		err = c.db.Apply(ctx, rows, removed, watermark)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed = err; err != nil {
		c.log.Warn("write the index database", "err", err)
	}
	return err
}

// waiting is how many changes the database has not seen.
func (c *cache) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.rows) + len(c.removed) + len(c.whole)
}

// load returns the rows of the last run; none when there is no database.
func (c *cache) load(ctx context.Context) ([]index.Row, index.Watermark) {
	c.mu.Lock()
	db := c.db
	c.mu.Unlock()
	if db == nil {
		return nil, index.Watermark{}
	}
	rows, watermark, err := db.Load(ctx)
	if err != nil {
		c.log.Warn("read the index database", "err", err)
		return nil, index.Watermark{}
	}
	return rows, watermark
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
	waiting := c.marked || len(c.rows)+len(c.removed)+len(c.whole) > 0
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

package session

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/index"
)

// along is a write of all rows that goes on while they are read.
type along struct {
	rows *index.Stream
	// stop gives the write up.
	stop context.CancelFunc
}

// end says that all rows were read, or why not: then nothing is written.
func (a *along) end(err error) {
	if err != nil {
		a.stop()
	}
	a.rows.End()
}

// replaceAlong begins to write the rows of a commit in place of whatever the
// database holds; nil when there is none to write. The caller adds all rows and
// says the end. Every other write waits for this one, and should it fail its rows
// wait to be written like any others.
func (c *cache) replaceAlong(ctx context.Context, head string) *along {
	db := c.handle()
	if db == nil {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	a := &along{index.NewStream(), stop}
	c.writing.Lock()
	c.mu.Lock()
	c.along = a
	c.mu.Unlock()
	go func() {
		defer c.writing.Unlock()
		defer stop()
		mark := index.Watermark{Head: head}
		err := db.Replace(ctx, a.rows.All(), mark)
		a.rows.Wait()
		if err == nil || ctx.Err() == nil {
			c.replaced(a.rows, mark, err)
		}
	}()
	return a
}

// replaced takes note of a write that went along.
func (c *cache) replaced(rows *index.Stream, mark index.Watermark, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.marked {
		c.watermark = mark
	}
	if err == nil {
		c.since = mark
		return
	}
	c.log.Warn("write the index database", "err", err)
	c.putBack(backlog{whole: rows.Rows()})
	c.flushAfter(retryDelay)
}

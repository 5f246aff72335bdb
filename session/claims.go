package session

import (
	"sync"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// claimCacheSize bounds the cache: a span and an id are about 40 bytes.
const claimCacheSize = 4096

// claimCache remembers where the claim stands in recently asked files, by the
// identity of their bytes, so that an incumbent with many restatements is
// parsed once.
type claimCache struct {
	mu    sync.Mutex
	spans map[index.BlobID]memory.Span
}

// get returns the span for a blob, asking find on a miss. A find that fails is
// not remembered.
func (c *claimCache) get(blob index.BlobID, find func() (memory.Span, bool)) memory.Span {
	c.mu.Lock()
	span, ok := c.spans[blob]
	c.mu.Unlock()
	if ok {
		return span
	}
	if span, ok = find(); !ok {
		return span
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spans == nil || len(c.spans) >= claimCacheSize {
		c.spans = make(map[index.BlobID]memory.Span)
	}
	c.spans[blob] = span
	return span
}

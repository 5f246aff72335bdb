package embed

import (
	"context"
	"crypto/sha256"
	"maps"
	"sync"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// cacheBytes is how much a generation of a cache holds; there are two.
const cacheBytes = 32 << 20

// Cached is an Embedder that asks another one for each text once, and once more
// when it was not used for long (W37). Vectors are shared: callers do not change
// them. Any number of goroutines may use it.
type Cached struct {
	Embedder

	mu sync.Mutex // guards the rest
	// young takes what is used; once it is full it becomes old, and what was old
	// and not used since is forgotten.
	young, old map[memory.Hash][]float32
	size       int
}

// NewCached returns a cache of an embedder with nothing in it.
func NewCached(e Embedder) *Cached {
	return &Cached{Embedder: e, young: map[memory.Hash][]float32{}}
}

// TextKey names a text among the vectors of one embedder.
func TextKey(id, text string) memory.Hash { return sha256.Sum256([]byte(id + "\x00" + text)) }

// Embed implements [Embedder]. It asks for the texts it does not know, each once.
func (c *Cached) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	keys := make([]memory.Hash, len(texts))
	var unknown []string
	place := map[memory.Hash]int{}
	for i, text := range texts {
		keys[i] = TextKey(c.ID(), text)
		vectors[i] = c.get(keys[i])
		if _, asked := place[keys[i]]; vectors[i] == nil && !asked {
			place[keys[i]] = len(unknown)
			unknown = append(unknown, text)
		}
	}
	if len(unknown) == 0 {
		return vectors, nil
	}
	fetched, err := c.Embedder.Embed(ctx, unknown)
	if err != nil {
		return nil, err
	}
	for key, i := range maps.All(place) {
		c.put(key, fetched[i])
	}
	for i := range vectors {
		if vectors[i] == nil {
			vectors[i] = fetched[place[keys[i]]]
		}
	}
	return vectors, nil
}

// get is a known vector, nil for none.
func (c *Cached) get(key memory.Hash) []float32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.young[key]; v != nil {
		return v
	}
	v := c.old[key]
	if v != nil {
		c.keepLocked(key, v)
	}
	return v
}

func (c *Cached) put(key memory.Hash, v []float32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepLocked(key, v)
}

func (c *Cached) keepLocked(key memory.Hash, v []float32) {
	if c.size > cacheBytes {
		c.young, c.old, c.size = map[memory.Hash][]float32{}, c.young, 0
	}
	c.young[key] = v
	c.size += len(key) + 4*len(v)
}

// Package flat finds the vectors of one space that are nearest to one, whatever
// their dimension: by comparing all of them, or, where they are many, all whose
// signs are alike. It is for the vectors of models; it does not know where they
// come from.
package flat

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

const (
	// exactUpTo is how many vectors are all compared exactly. Of more, the signs
	// of their values choose which are: 1/32 of the memory to be read.
	exactUpTo = 50_000
	// shortlist is how many the signs let through, at least.
	shortlist = 1000
	// blockSlots is how many vectors are kept in one piece, so that growing
	// copies none.
	blockSlots = 4096
)

// Space finds the vectors that are nearest to one, in one space. Vectors have
// length one and are named by the hash of the text that they are of. Any number
// of goroutines may use it.
type Space struct {
	dim, words int

	mu     sync.RWMutex // guards the rest
	slots  map[memory.Hash]int
	names  []memory.Hash
	free   []int
	blocks [][]float32
	// signs has a bit for each value of each vector, words to a slot.
	signs []uint64
}

// Neighbour is a vector that was found, with its cosine to what was looked for.
type Neighbour struct {
	Name   memory.Hash
	Cosine float32
}

// New is an empty space of vectors of dim values.
func New(dim int) *Space {
	return &Space{dim: dim, words: (dim + 63) / 64, slots: map[memory.Hash]int{}}
}

// Len is the number of vectors.
func (n *Space) Len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return len(n.slots)
}

// Has reports whether a text has its vector.
func (n *Space) Has(name memory.Hash) bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	_, ok := n.slots[name]
	return ok
}

// Vector copies the vector of a text.
func (n *Space) Vector(name memory.Hash) (v []float32, ok bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	slot, ok := n.slots[name]
	if !ok {
		return nil, false
	}
	return slices.Clone(n.at(slot)), true
}

// Put adds or replaces a vector, which is copied. It panics on one of another
// dimension.
func (n *Space) Put(name memory.Hash, v []float32) {
	if len(v) != n.dim {
		panic("flat: a vector of another space")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	slot, known := n.slots[name]
	if !known {
		slot = n.grow()
	}
	n.slots[name], n.names[slot] = slot, name
	copy(n.at(slot), v)
	sign(n.signs[slot*n.words:(slot+1)*n.words], v)
}

// grow is a slot that nothing is in. Caller holds mu.
func (n *Space) grow() int {
	if last := len(n.free) - 1; last >= 0 {
		slot := n.free[last]
		n.free = n.free[:last]
		return slot
	}
	slot := len(n.names)
	n.names = append(n.names, memory.Hash{})
	n.signs = append(n.signs, make([]uint64, n.words)...)
	if slot%blockSlots == 0 {
		n.blocks = append(n.blocks, make([]float32, blockSlots*n.dim))
	}
	return slot
}

// Remove takes a vector out, if it is there. Its slot is all zeros until it is
// used again, so that it is nearest to nothing.
func (n *Space) Remove(name memory.Hash) {
	n.mu.Lock()
	defer n.mu.Unlock()
	slot, ok := n.slots[name]
	if !ok {
		return
	}
	delete(n.slots, name)
	n.names[slot] = memory.Hash{}
	clear(n.at(slot))
	clear(n.signs[slot*n.words : (slot+1)*n.words])
	n.free = append(n.free, slot)
}

// at is the vector in a slot. Caller holds mu.
func (n *Space) at(slot int) []float32 {
	block, from := n.blocks[slot/blockSlots], slot%blockSlots*n.dim
	return block[from : from+n.dim : from+n.dim]
}

// Search returns the vectors that are nearest to v, at most k and none below
// least, the nearest first and equally near ones by name. k is at least 1,
// least above 0. take, when not nil, leaves out those it refuses; it is asked
// only for those that would be among the nearest, and must not use n.
func (n *Space) Search(v []float32, k int, least float32, take func(memory.Hash) bool) []Neighbour {
	n.mu.RLock()
	defer n.mu.RUnlock()
	top := make([]Neighbour, 0, k+1)
	try := func(slot int, cosine float32) {
		if cosine < least || len(top) == k && cosine < top[k-1].Cosine {
			return
		}
		found := Neighbour{n.names[slot], cosine}
		at, _ := slices.BinarySearchFunc(top, found, nearer)
		if at == k || take != nil && !take(found.Name) {
			return
		}
		if top = slices.Insert(top, at, found); len(top) > k {
			top = top[:k]
		}
	}
	if len(n.names) <= exactUpTo {
		for slot, name := range n.names {
			if name != (memory.Hash{}) {
				try(slot, n.cosine(slot, v))
			}
		}
		return top
	}
	for _, slot := range n.shortlist(v, max(shortlist, 20*k)) {
		try(slot, n.cosine(slot, v))
	}
	return top
}

func nearer(a, b Neighbour) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), slices.Compare(a.Name[:], b.Name[:]))
}

// cosine is that of a slot's vector and v. Caller holds mu.
func (n *Space) cosine(slot int, v []float32) float32 {
	at := n.at(slot)
	v = v[:len(at)]
	var s, t, u, w float32
	i := 0
	for ; i+4 <= len(at); i += 4 {
		s += at[i] * v[i]
		t += at[i+1] * v[i+1]
		u += at[i+2] * v[i+2]
		w += at[i+3] * v[i+3]
	}
	for ; i < len(at); i++ {
		s += at[i] * v[i]
	}
	return (s + t) + (u + w)
}

// shortlist are the slots whose signs differ least from those of v, at least
// size of them. Caller holds mu.
func (n *Space) shortlist(v []float32, size int) []int {
	want := make([]uint64, n.words)
	sign(want, v)
	apart := make([]uint16, len(n.names))
	counts := make([]int, 64*n.words+1)
	for slot, name := range n.names {
		d := differences(want, n.signs[slot*n.words:(slot+1)*n.words])
		if apart[slot] = uint16(d); name != (memory.Hash{}) {
			counts[d]++
		}
	}
	limit, in := 0, 0
	for limit = range counts {
		if in += counts[limit]; in >= size {
			break
		}
	}
	slots := make([]int, 0, in)
	for slot, d := range apart {
		if int(d) <= limit && n.names[slot] != (memory.Hash{}) {
			slots = append(slots, slot)
		}
	}
	return slots
}

// sign sets the bit of every value that is above zero.
func sign(into []uint64, v []float32) {
	clear(into)
	for i, x := range v {
		if x > 0 {
			into[i/64] |= 1 << (i % 64)
		}
	}
}

// differences counts the bits in which two of the same length differ.
func differences(a, b []uint64) int {
	d := 0
	for i, x := range a {
		d += bits.OnesCount64(x ^ b[i])
	}
	return d
}

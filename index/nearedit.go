package index

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/same"
)

// manyClaims is the share of all claims, one in so many, from which a change
// searches for every claim again instead of following each.
const manyClaims = 16

// Change returns n with claims added and removed, and which claims have other
// neighbours than before, sorted. n stays as it is. To add what is known and to
// remove what is not changes nothing.
//
// A change of few claims costs a search for each and for those to whose nearest
// it belonged. One of many costs a search for every claim on all cores, which is
// how the first one of a corpus is made: of each pair 32 bytes of signs are
// compared, and the vectors of those only that may reach the floor. Either way
// at most ten verdicts are asked for a claim.
//
// The error is Cancelled when ctx ends.
func (n *Near) Change(ctx context.Context, add, remove []string, work Work) (*Near, []string, error) {
	e := n.edit(work)
	gone := e.removeAll(remove)
	near, err := e.finish(ctx, e.addAll(ctx, add))
	if err != nil {
		return nil, nil, err
	}
	return near, e.changed(n, gone), nil
}

// Work is how a comparison of claims is done.
type Work struct {
	// Cores is on how many processors, 0 for all. Whoever has somebody to answer
	// meanwhile keeps one free.
	Cores int
	// Progress may be nil, and is told how many of how many claims are done, by one
	// goroutine at a time.
	Progress func(done, total int)
}

// finish searches and judges, unless the edit has failed already.
func (e *nearEdit) finish(ctx context.Context, err error) (*Near, error) {
	if err == nil {
		err = e.search(ctx)
	}
	if err == nil {
		err = e.judge(ctx)
	}
	if err != nil {
		return nil, failure.New(failure.Cancelled, "The search for near duplicates was cancelled.").Wrap(err)
	}
	return e.near, nil
}

// nearEdit makes the successor of a Near.
type nearEdit struct {
	near *Near
	// added are the slots of claims that came, missing those whose list lost one,
	// and touched all that have another node.
	added, missing, touched map[int32]bool

	work Work

	progressMu sync.Mutex // guards done
	done       int
}

func (n *Near) edit(work Work) *nearEdit {
	return &nearEdit{
		near: &Near{
			vectors: slices.Clone(n.vectors), nodes: slices.Clone(n.nodes),
			places: n.places.IsoCopy(), free: slices.Clone(n.free),
		},
		added: map[int32]bool{}, missing: map[int32]bool{}, touched: map[int32]bool{},
		work: work,
	}
}

// set replaces the node of a slot, in a block that no other Near has.
func (e *nearEdit) set(slot int32, node *nearNode) {
	e.touched[slot] = true
	e.ownNodes(slot).nodes[slot%blockSlots] = node
}

func (e *nearEdit) ownNodes(slot int32) *nodeBlock {
	block := &e.near.nodes[slot/blockSlots]
	if (*block).owner != e.near {
		own := **block
		own.owner, *block = e.near, &own
	}
	return *block
}

func (e *nearEdit) ownVectors(slot int32) *vectorBlock {
	block := &e.near.vectors[slot/blockSlots]
	if (*block).owner != e.near {
		own := **block
		own.owner, *block = e.near, &own
	}
	return *block
}

// removeAll takes claims out and returns those that were there.
func (e *nearEdit) removeAll(claims []string) (gone []string) {
	for _, claim := range claims {
		at, ok := e.near.places.Delete(place{claim: claim})
		if !ok {
			continue
		}
		gone = append(gone, claim)
		node := e.near.node(at.slot)
		for _, slot := range node.back {
			e.missing[slot] = true
			e.setList(slot, without(e.near.node(slot).list, at.slot))
		}
		e.setList(at.slot, nil)
		e.set(at.slot, nil)
		delete(e.missing, at.slot)
		e.near.free = append(e.near.free, at.slot)
	}
	return gone
}

func without(list []candidate, slot int32) []candidate {
	return slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return c.slot == slot })
}

// setList replaces the list of a slot, and puts it into the backs of those that
// it now lists and out of those that it lists no more.
func (e *nearEdit) setList(slot int32, list []candidate) {
	node := *e.near.node(slot)
	was := nearNode{list: node.list}
	node.list = list
	e.set(slot, &node)
	for _, c := range list {
		if was.lists(c.slot) < 0 {
			other := *e.near.node(c.slot)
			other.back = append(slices.Clone(other.back), slot)
			e.set(c.slot, &other)
		}
	}
	for _, c := range was.list {
		if node.lists(c.slot) < 0 {
			other := *e.near.node(c.slot)
			other.back = slices.DeleteFunc(slices.Clone(other.back), func(s int32) bool { return s == slot })
			e.set(c.slot, &other)
		}
	}
}

// addAll gives claims their slots and vectors.
func (e *nearEdit) addAll(ctx context.Context, claims []string) error {
	var slots []int32
	for _, claim := range claims {
		if _, known := e.near.places.Get(place{claim: claim}); known {
			continue
		}
		slot := e.grow()
		e.near.places.Set(place{claim, slot})
		e.set(slot, &nearNode{claim: claim})
		e.ownVectors(slot)
		e.added[slot] = true
		slots = append(slots, slot)
	}
	return e.each(ctx, slots, 0, func(slot int32) {
		block, at := e.near.vectors[slot/blockSlots], slot%blockSlots
		v := &block.vectors[at]
		embed.Lexnorm{}.Into(v[:], same.Of(e.near.node(slot).claim))
		block.signs[at] = signsOf(v)
	})
}

// grow is a slot that nothing is in.
func (e *nearEdit) grow() int32 {
	n := e.near
	if last := len(n.free) - 1; last >= 0 {
		slot := n.free[last]
		n.free = n.free[:last]
		return slot
	}
	slot := int32(len(n.nodes) * blockSlots)
	n.nodes = append(n.nodes, &nodeBlock{owner: n})
	n.vectors = append(n.vectors, &vectorBlock{owner: n})
	for more := slot + blockSlots - 1; more > slot; more-- {
		n.free = append(n.free, more)
	}
	return slot
}

// search brings the lists up to date.
func (e *nearEdit) search(ctx context.Context) error {
	if (len(e.added)+len(e.missing))*manyClaims > e.near.Len() {
		return e.searchAll(ctx)
	}
	for slot := range e.missing {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e.setList(slot, e.searched(slot))
	}
	for slot := range e.added {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		e.follow(slot)
	}
	return nil
}

// searched is the list of a slot, with the verdicts that are known.
func (e *nearEdit) searched(slot int32) []candidate {
	node := e.near.node(slot)
	list := e.near.top(e.near.vector(slot), node.claim)
	for i, c := range list {
		if at := node.lists(c.slot); at >= 0 {
			list[i].kind = node.list[at].kind
		}
	}
	return list
}

// follow searches for a claim that came, and puts it into the lists of others.
func (e *nearEdit) follow(slot int32) {
	var into []candidate
	own := make([]candidate, 0, nearest+1)
	e.near.within(e.near.vector(slot), func(other int32, cosine float32) {
		if other == slot {
			return
		}
		own = e.near.insert(own, candidate{slot: other, cosine: cosine})
		if !e.added[other] && !e.missing[other] {
			into = append(into, candidate{slot: other, cosine: cosine})
		}
	})
	e.setList(slot, slices.Clip(own))
	for _, other := range into {
		list := e.near.node(other.slot).list
		if len(list) < nearest || e.near.order(candidate{slot: slot, cosine: other.cosine}, list[nearest-1]) < 0 {
			e.setList(other.slot, e.near.insert(slices.Clone(list), candidate{slot: slot, cosine: other.cosine}))
		}
	}
}

// searchAll makes every list anew.
func (e *nearEdit) searchAll(ctx context.Context) error {
	slots := make([]int32, 0, e.near.Len())
	e.near.places.Scan(func(at place) bool {
		slots = append(slots, at.slot)
		return true
	})
	lists := make([][]candidate, len(e.near.nodes)*blockSlots)
	err := e.each(ctx, slots, len(slots), func(slot int32) { lists[slot] = e.searched(slot) })
	if err != nil {
		return err
	}
	back := make([][]int32, len(lists))
	for _, slot := range slots {
		for _, c := range lists[slot] {
			back[c.slot] = append(back[c.slot], slot)
		}
	}
	for _, slot := range slots {
		e.set(slot, &nearNode{e.near.node(slot).claim, lists[slot], slices.Clip(back[slot])})
	}
	return nil
}

// judge asks for the verdicts that are missing.
func (e *nearEdit) judge(ctx context.Context) error {
	var slots []int32
	for slot := range e.touched {
		node := e.near.node(slot)
		if node == nil || !slices.ContainsFunc(node.list, func(c candidate) bool { return c.kind == pairUnknown }) {
			continue
		}
		e.set(slot, &nearNode{node.claim, slices.Clone(node.list), node.back})
		slots = append(slots, slot)
	}
	return e.each(ctx, slots, 0, func(slot int32) {
		node := e.near.node(slot)
		claim := same.Of(node.claim)
		for i := range node.list {
			c := &node.list[i]
			if c.kind != pairUnknown {
				continue
			}
			c.kind = judge(claim, same.Of(e.near.node(c.slot).claim))
		}
	})
}

// each does something for every slot, on all cores. With a total it tells the
// progress.
func (e *nearEdit) each(ctx context.Context, slots []int32, total int, do func(slot int32)) error {
	group, inner := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(cmp.Or(e.work.Cores, runtime.GOMAXPROCS(0)), len(slots)) {
		group.Go(func() error {
			for i := next.Add(1) - 1; i < int64(len(slots)) && inner.Err() == nil; i = next.Add(1) - 1 {
				do(slots[i])
				if total > 0 {
					e.told(total)
				}
			}
			return inner.Err()
		})
	}
	return group.Wait()
}

func (e *nearEdit) told(total int) {
	e.progressMu.Lock()
	defer e.progressMu.Unlock()
	e.done++
	if e.work.Progress != nil && (e.done%progressStep == 0 || e.done == total) {
		e.work.Progress(e.done, total)
	}
}

// changed are the claims with other neighbours than they had, and those that are
// gone.
func (e *nearEdit) changed(was *Near, gone []string) []string {
	claims := map[string]bool{}
	for _, claim := range gone {
		claims[claim] = true
	}
	for slot := range e.touched {
		if node := e.near.node(slot); node != nil && !slices.Equal(e.near.Neighbours(node.claim), was.Neighbours(node.claim)) {
			claims[node.claim] = true
		}
	}
	return slices.Sorted(maps.Keys(claims))
}

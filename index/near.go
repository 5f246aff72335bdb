package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/btree"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/same"
)

// nearest is how many candidates of a claim are judged.
const nearest = 10

// Near is what the claims of a corpus have to do with each other: of each claim
// its nearest others, and what same says of each such pair. A pair is judged
// when one of the two is among the ten nearest of the other, and their cosine
// is at least [embed.LexnormFloor].
//
// It is a function of the set of claims, however it came about. It is immutable
// and safe for any number of goroutines; successive ones share their structure,
// so that one claim more or less costs a search and the nodes it touches.
type Near struct {
	vectors []*vectorBlock
	nodes   []*nodeBlock
	// places are the slots of the claims.
	places *btree.BTreeG[place]
	// free are the slots below the end that nothing is in.
	free  []int32
	asked asked
}

// blockSlots is how many slots are copied when one of them changes.
const blockSlots = 128

// vectorBlock are the vectors of some slots, and a bit for each value of them,
// set where it is above 0. A slot without a claim is all zeros.
type vectorBlock struct {
	owner   *Near
	vectors [blockSlots]vector
	signs   [blockSlots]signs
}

// nodeBlock are the claims of some slots, nil where there is none.
type nodeBlock struct {
	owner *Near
	nodes [blockSlots]*nearNode
}

// place is where a claim is.
type place struct {
	claim string
	slot  int32
}

// nearNode is a claim; it is replaced, never changed.
type nearNode struct {
	claim string
	// list are its nearest claims, the nearest first.
	list []candidate
	// back are the slots in whose lists it is.
	back []int32
}

// candidate is a claim near to another.
type candidate struct {
	slot   int32
	cosine float32
	kind   judged
}

// judged is what is known of a pair.
type judged uint8

const (
	pairUnknown judged = iota
	pairApart
	pairDiffers // alike but for something
	pairSame
)

// ListSize is how many claims that differ from one in a detail make it an item of a
// list, such as the ports of all services: what differs there is what the list is
// for, and nobody is told of it.
const ListSize = 10

// Neighbour is a claim that another one restates or may contradict.
type Neighbour struct {
	Claim  string
	Cosine float32
	// Same says that it restates it, by the verdict of [same.Compare]; else they
	// differ in something.
	Same bool
}

// NewNear returns that of no claims.
func NewNear() *Near {
	return &Near{places: tree(func(a, b place) bool { return a.claim < b.claim })}
}

// Len is the number of claims.
func (n *Near) Len() int { return n.places.Len() }

// Has reports whether a claim is known.
func (n *Near) Has(claim string) bool {
	_, ok := n.places.Get(place{claim: claim})
	return ok
}

// Neighbours are the claims that a known claim is the same as or alike to, the
// nearest first, the claim itself not among them.
func (n *Near) Neighbours(claim string) []Neighbour {
	at, ok := n.places.Get(place{claim: claim})
	if !ok {
		return nil
	}
	node := n.node(at.slot)
	var found []Neighbour
	for _, c := range node.list {
		if c.kind >= pairDiffers {
			found = append(found, Neighbour{n.node(c.slot).claim, c.cosine, c.kind == pairSame})
		}
	}
	for _, slot := range node.back {
		other := n.node(slot)
		if node.lists(slot) < 0 {
			if c := other.list[other.lists(at.slot)]; c.kind >= pairDiffers {
				found = append(found, Neighbour{other.claim, c.cosine, c.kind == pairSame})
			}
		}
	}
	slices.SortFunc(found, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), strings.Compare(a.Claim, b.Claim))
	})
	return found
}

// close are the claims with neighbours, in order.
func (n *Near) close() (claims []string) {
	n.places.Scan(func(at place) bool {
		if len(n.Neighbours(at.claim)) > 0 {
			claims = append(claims, at.claim)
		}
		return true
	})
	return claims
}

// Candidates are the neighbours that a claim would have, whether or not it is
// known.
func (n *Near) Candidates(claim string) []Neighbour {
	return n.asked.get(claim, func() []Neighbour {
		c := same.Of(claim)
		v := new(vector)
		embed.Lexnorm{}.Into(v[:], c)
		var found []Neighbour
		for _, near := range n.top(v, claim) {
			other := n.node(near.slot).claim
			if kind := judge(c, same.Of(other)); kind >= pairDiffers {
				found = append(found, Neighbour{other, near.cosine, kind == pairSame})
			}
		}
		return found
	})
}

// judge asks for the verdict on two claims.
func judge(a, b *same.Claim) judged {
	switch same.Compare(a, b).Kind {
	case same.Same:
		return pairSame
	case same.Differs:
		return pairDiffers
	default:
		return pairApart
	}
}

// lists returns where in the node's list a slot is, or -1.
func (node *nearNode) lists(slot int32) int {
	return slices.IndexFunc(node.list, func(c candidate) bool { return c.slot == slot })
}

func (n *Near) node(slot int32) *nearNode { return n.nodes[slot/blockSlots].nodes[slot%blockSlots] }

func (n *Near) vector(slot int32) *vector {
	return &n.vectors[slot/blockSlots].vectors[slot%blockSlots]
}

// top are the candidates of a vector, the nearest first, but for one claim.
func (n *Near) top(v *vector, but string) []candidate {
	top := make([]candidate, 0, nearest+1)
	n.within(v, func(slot int32, cosine float32) {
		if len(top) == nearest && cosine < top[nearest-1].cosine {
			return
		}
		if n.node(slot).claim != but {
			top = n.insert(top, candidate{slot: slot, cosine: cosine})
		}
	})
	return slices.Clip(top)
}

// insert puts a candidate into a list if it is among the nearest.
func (n *Near) insert(list []candidate, c candidate) []candidate {
	at, _ := slices.BinarySearchFunc(list, c, n.order)
	if at == nearest {
		return list
	}
	list = slices.Insert(list, at, c)
	return list[:min(len(list), nearest)]
}

// order puts the nearer candidate first, and of equally near ones that whose
// claim is first.
func (n *Near) order(a, b candidate) int {
	if c := cmp.Compare(b.cosine, a.cosine); c != 0 {
		return c
	}
	return strings.Compare(n.node(a.slot).claim, n.node(b.slot).claim)
}

// within yields every claim whose cosine to v reaches the floor. Signs that
// differ in too many places speak for a cosine below it, and spare the rest.
func (n *Near) within(v *vector, yield func(slot int32, cosine float32)) {
	want := signsOf(v)
	for i, block := range n.vectors {
		for j := range block.signs {
			if want.apart(&block.signs[j]) || n.nodes[i].nodes[j] == nil {
				continue
			}
			if cosine := dot(v, &block.vectors[j]); cosine >= embed.LexnormFloor {
				yield(int32(i*blockSlots+j), cosine)
			}
		}
	}
}

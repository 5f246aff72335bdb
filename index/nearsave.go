package index

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"iter"
	"math"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/same"
)

// savedNear names what a saved comparison was made by: it is not read by a version
// whose vectors or verdicts are others.
var savedNear = "2 " + embed.Lexnorm{}.ID() + " " + same.Version

// claimName is a claim as it is saved: enough of its hash to tell it from every
// other.
type claimName [16]byte

func nameOfClaim(claim string) claimName {
	sum := sha256.Sum256([]byte(claim))
	return claimName(sum[:])
}

// savedCandidate is the size of a candidate in bytes: where its claim is among the
// saved ones, the cosine, and what is known of the pair.
const savedCandidate = 4 + 4 + 1

// Save returns n as bytes for [RestoreNear]: how many claims there are, their
// names, then of each how many candidates it has, and these. Vectors are not
// among them, since they are made faster than read.
func (n *Near) Save() []byte {
	saved := binary.LittleEndian.AppendUint32(nil, uint32(n.Len()))
	places := make(map[int32]uint32, n.Len())
	n.places.Scan(func(at place) bool {
		places[at.slot] = uint32(len(places))
		name := nameOfClaim(at.claim)
		saved = append(saved, name[:]...)
		return true
	})
	n.places.Scan(func(at place) bool {
		list := n.node(at.slot).list
		saved = append(saved, byte(len(list)))
		for _, c := range list {
			saved = binary.LittleEndian.AppendUint32(saved, places[c.slot])
			saved = binary.LittleEndian.AppendUint32(saved, math.Float32bits(c.cosine))
			saved = append(saved, byte(c.kind))
		}
		return true
	})
	return saved
}

// savedLists are the candidates of saved claims.
type savedLists struct {
	names []claimName
	lists [][]candidate // with places among names in place of slots
}

var errSavedNear = errors.New("not a saved comparison of claims")

// readSaved reads what Save has written, or anything else.
func readSaved(b []byte) (s savedLists, err error) {
	if len(b) < 4 {
		return s, errSavedNear
	}
	count := int(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if count > len(b)/len(claimName{}) {
		return s, errSavedNear
	}
	s.names, s.lists = make([]claimName, count), make([][]candidate, count)
	for i := range s.names {
		b = b[copy(s.names[i][:], b):]
	}
	for i := range s.lists {
		if len(b) == 0 || int(b[0]) > nearest || len(b) < 1+int(b[0])*savedCandidate {
			return s, errSavedNear
		}
		list := make([]candidate, b[0])
		b = b[1:]
		for j := range list {
			at := binary.LittleEndian.Uint32(b)
			list[j] = candidate{int32(at), math.Float32frombits(binary.LittleEndian.Uint32(b[4:])), judged(b[8])}
			if int64(at) >= int64(count) || at == uint32(i) || list[j].kind > pairSame {
				return s, errSavedNear
			}
			b = b[savedCandidate:]
		}
		s.lists[i] = list
	}
	return s, nil
}

// RestoreNear is what [Near.Change] makes of no claims and those that are given,
// with what was saved of most of them in place of a search for each. Saved bytes
// that cannot be read are as none.
func RestoreNear(ctx context.Context, saved []byte, claims iter.Seq[string], work Work) (*Near, error) {
	was, err := readSaved(saved)
	if err != nil {
		was = savedLists{}
	}
	byName := make(map[claimName]int, len(was.names))
	for i, name := range was.names {
		byName[name] = i
	}
	var known, fresh []string
	for claim := range claims {
		if _, ok := byName[nameOfClaim(claim)]; ok {
			known = append(known, claim)
		} else {
			fresh = append(fresh, claim)
		}
	}
	e := NewNear().edit(work)
	err = e.addAll(ctx, known)
	clear(e.added)
	e.restore(was, byName, known)
	if err == nil {
		err = e.addAll(ctx, fresh)
	}
	return e.finish(ctx, err)
}

// restore puts the saved lists into the nodes of the claims that are still there.
// What a list has lost is searched for.
func (e *nearEdit) restore(was savedLists, byName map[claimName]int, known []string) {
	slots := make([]int32, len(was.names))
	for i := range slots {
		slots[i] = -1
	}
	for _, claim := range known {
		at, _ := e.near.places.Get(place{claim: claim})
		slots[byName[nameOfClaim(claim)]] = at.slot
	}
	back := map[int32][]int32{}
	lists := map[int32][]candidate{}
	for i, saved := range was.lists {
		if slots[i] < 0 {
			continue
		}
		var list []candidate
		for _, c := range saved {
			if c.slot = slots[c.slot]; c.slot < 0 {
				e.missing[slots[i]] = true
				continue
			}
			list = append(list, c)
			back[c.slot] = append(back[c.slot], slots[i])
		}
		lists[slots[i]] = list
	}
	for _, slot := range slots {
		if slot >= 0 {
			e.set(slot, &nearNode{e.near.node(slot).claim, lists[slot], back[slot]})
		}
	}
}

// Near returns what was last kept by KeepNear, nil where there is nothing or it
// was made by other rules.
func (db *DB) Near(ctx context.Context) (saved []byte, err error) {
	err = db.read(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, selectNearSQL, savedNear).Scan(&saved)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return saved, err
}

// KeepNear keeps a comparison of all claims, see [Near.Save], in place of the
// last one.
func (db *DB) KeepNear(ctx context.Context, n *Near) error {
	saved := n.Save()
	return db.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, replaceNearSQL, savedNear, saved)
		return err
	})
}

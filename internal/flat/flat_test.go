package flat

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// unit is a vector of length one in the direction of v.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}

// clustered makes n vectors around n/8 middles, as texts about few things have.
func clustered(n, dim int, seed uint64) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	middles := make([][]float32, n/8+1)
	for i := range middles {
		middles[i] = make([]float32, dim)
		for j := range middles[i] {
			middles[i][j] = float32(r.NormFloat64())
		}
	}
	all := make([][]float32, n)
	for i := range all {
		all[i] = slices.Clone(middles[r.IntN(len(middles))])
		for j := range all[i] {
			all[i][j] += float32(r.NormFloat64() * 0.6)
		}
		unit(all[i])
	}
	return all
}

func named(i int) memory.Hash { return memory.Hash{byte(i), byte(i >> 8), byte(i >> 16), 1} }

func nearestOf(vectors [][]float32) *Space {
	n := New(len(vectors[0]))
	for i, v := range vectors {
		n.Put(named(i), v)
	}
	return n
}

// slow is Search, written plainly.
func slow(vectors map[memory.Hash][]float32, v []float32, k int, least float32) []Neighbour {
	all := []Neighbour{}
	for name, w := range vectors {
		var sum float64
		for i := range w {
			sum += float64(w[i]) * float64(v[i])
		}
		if float32(sum) >= least {
			all = append(all, Neighbour{name, float32(sum)})
		}
	}
	slices.SortFunc(all, nearer)
	return all[:min(k, len(all))]
}

func names(found []Neighbour) []memory.Hash {
	list := []memory.Hash{}
	for _, n := range found {
		list = append(list, n.Name)
	}
	return list
}

// Whatever was put and removed, a search finds what a plain one finds. The
// vectors have few values, all whole numbers over the same length, so that
// cosines are exact and ties happen.
func TestSpaceAgreesWithAPlainSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const dim = 4
		vector := rapid.Custom(func(t *rapid.T) []float32 {
			v := make([]float32, dim)
			for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, dim-1), 1, 1, rapid.ID).Draw(t, "at") {
				v[i] = rapid.SampledFrom([]float32{1, -1}).Draw(t, "sign")
			}
			return v
		})
		n, want := New(dim), map[memory.Hash][]float32{}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			name := named(rapid.IntRange(0, 9).Draw(t, "name"))
			if rapid.Bool().Draw(t, "remove") {
				n.Remove(name)
				delete(want, name)
				continue
			}
			v := vector.Draw(t, "vector")
			n.Put(name, v)
			want[name] = v
		}
		v, k := vector.Draw(t, "for"), rapid.IntRange(1, 5).Draw(t, "k")
		if diff := cmp.Diff(slow(want, v, k, 0.5), n.Search(v, k, 0.5, nil)); diff != "" {
			t.Fatal(diff)
		}
		if n.Len() != len(want) {
			t.Fatalf("%d vectors, want %d", n.Len(), len(want))
		}
		for name, v := range want {
			if got, ok := n.Vector(name); !ok || !n.Has(name) || !cmp.Equal(got, v) {
				t.Fatalf("%v, want %v", got, v)
			}
		}
	})
}

// The nearest that is not taken makes room for the next.
func TestSpaceAsksBeforeItTakes(t *testing.T) {
	vectors := clustered(500, 32, 1)
	n := nearestOf(vectors)
	all := n.Search(vectors[7], 6, 0.01, nil)
	got := n.Search(vectors[7], 5, 0.01, func(name memory.Hash) bool { return name != named(7) })
	if all[0].Name != named(7) || !cmp.Equal(names(all[1:]), names(got)) {
		t.Errorf("%v\n%v", all, got)
	}
}

// More vectors than are compared exactly: the signs must let the nearest
// through, and what was removed must not come back.
func TestSpaceAmongMany(t *testing.T) {
	vectors := clustered(exactUpTo+2000, 64, 2)
	n := nearestOf(vectors)
	for i := range 500 {
		n.Remove(named(i))
	}
	missed := 0
	for i := 500; i < 700; i++ {
		found := n.Search(vectors[i], 4, 0.3, nil)
		if len(found) == 0 || found[0].Name != named(i) {
			t.Fatalf("vector %d does not find itself: %v", i, found)
		}
		want := bruteTop(vectors[500:], vectors[i], 4)
		for _, at := range want {
			if !slices.Contains(names(found), named(at+500)) {
				missed++
			}
		}
	}
	if missed > 8 {
		t.Errorf("%d of 800 neighbours missed", missed)
	}
}

func bruteTop(vectors [][]float32, v []float32, k int) []int {
	type hit struct {
		at  int
		cos float32
	}
	var top []hit
	for at, w := range vectors {
		var sum float32
		for i := range w {
			sum += w[i] * v[i]
		}
		top = append(top, hit{at, sum})
		if len(top) > 64 {
			slices.SortFunc(top, func(a, b hit) int {
				if a.cos > b.cos {
					return -1
				}
				return 1
			})
			top = top[:k]
		}
	}
	slices.SortFunc(top, func(a, b hit) int {
		if a.cos > b.cos {
			return -1
		}
		return 1
	})
	list := []int{}
	for _, h := range top[:k] {
		list = append(list, h.at)
	}
	return list
}

func TestSpaceIsUsedFromManyGoroutines(t *testing.T) {
	vectors := clustered(300, 16, 3)
	n := nearestOf(vectors[:200])
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for j, v := range vectors {
				switch i {
				case 0:
					n.Put(named(j), v)
				case 1:
					n.Remove(named(j / 2))
				default:
					n.Search(v, 3, 0.2, nil)
				}
			}
		})
	}
	all.Wait()
}

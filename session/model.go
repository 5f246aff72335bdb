package session

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/flat"
	"github.com/memhtml-ls/memhtml-ls/internal/settings"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Coverage says by what memories are found that say the same in other words.
type Coverage string

// The coverages.
const (
	// Wording is what is built in, which cannot fail.
	Wording Coverage = "wording"
	// Meaning is a model that the person's settings name.
	Meaning Coverage = "meaning"
	// Unchecked is such a model that cannot be had: nothing is looked for, since
	// the wording in its place would pass for an answer of the model.
	Unchecked Coverage = "unchecked"
)

// NearState is how near-duplicates are looked for.
type NearState struct {
	// Embedder is its id.
	Embedder string   `json:"embedder"`
	Coverage Coverage `json:"coverage"`
	// Why says why nothing is looked for, else "".
	Why string `json:"why,omitempty"`
	// Missing is how many memories nothing is known of: by a model, because they are
	// not saved, not sent yet or not embedded by memhtml; by the wording, because they
	// are still to be compared.
	Missing int `json:"missing,omitempty"`
}

// modelNeighbours is how many neighbours of a memory are kept, the nearest ones.
const modelNeighbours = 10

// model is the vectors of a model for the saved memories of a root, and which of
// them are near to each other. What it knows changes by itself; the coverage that
// findings go by is that of their View.
type model struct {
	root   *Root
	source vectorSource
	// threshold and related are the cosines at and above which two memories are
	// near, or worth a hint.
	threshold, related float64
	// wake holds a token when there may be something to do.
	wake chan struct{}

	mu sync.Mutex // guards the rest
	// id names the space of the vectors; space is nil until the first has come.
	id    string
	space *flat.Space
	// names are the vectors of the memories that take part, paths who has them.
	names map[string]memory.Hash
	paths map[memory.Hash]map[string]bool
	// near are the vectors that reach the lower threshold with another one.
	near map[memory.Hash]map[memory.Hash]float64
	// missing are the memories without a vector.
	missing map[string]bool
	// ready says that the model has answered since it last failed; failed is why
	// it did not.
	ready  bool
	failed error
}

func newModel(r *Root, s settings.Embedder, id string, source vectorSource) *model {
	m := &model{
		root: r, source: source, threshold: s.Threshold, related: min(s.Related, s.Threshold), wake: make(chan struct{}, 1),
		id: id, names: map[string]memory.Hash{}, paths: map[memory.Hash]map[string]bool{},
	}
	m.forgetLocked()
	return m
}

// forgetLocked forgets all vectors and keeps who wants one. Caller holds mu, or
// nobody knows m.
func (m *model) forgetLocked() {
	m.space, m.missing, m.near = nil, map[string]bool{}, map[memory.Hash]map[memory.Hash]float64{}
	for path := range m.names {
		m.missing[path] = true
	}
}

// isCompared reports whether a file is looked at for near-duplicates at all.
func isCompared(f *index.File) bool {
	return f != nil && f.Eligible() && !f.Unmerged && f.Gist != "" && f.Type != "arc" && f.Type != "episodic"
}

// note takes in that files may be others than they were, and returns whom they
// were near to.
func (m *model) note(view *View, paths []string) (neighbours []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, path := range paths {
		file, name := view.Snapshot.File(path), memory.Hash{}
		if isCompared(file) {
			name = m.source.name(file)
		}
		if m.names[path] == name {
			continue
		}
		neighbours = m.nearLocked(neighbours, path)
		m.dropLocked(path)
		if name != (memory.Hash{}) {
			m.addLocked(path, name)
		}
	}
	select {
	case m.wake <- struct{}{}:
	default:
	}
	return neighbours
}

// noteAll is note for every file of a View.
func (m *model) noteAll(view *View) {
	var paths []string
	m.mu.Lock()
	for path := range m.names {
		paths = append(paths, path)
	}
	m.mu.Unlock()
	for file := range view.Snapshot.All() {
		paths = append(paths, file.Path)
	}
	m.note(view, paths)
}

func (m *model) addLocked(path string, name memory.Hash) {
	m.names[path] = name
	if m.paths[name] == nil {
		m.paths[name] = map[string]bool{}
	}
	m.paths[name][path] = true
	if m.space == nil || !m.space.Has(name) {
		m.missing[path] = true
	}
}

// dropLocked forgets a path, and a vector that is nobody's then. Caller holds mu.
func (m *model) dropLocked(path string) {
	name, known := m.names[path]
	if !known {
		return
	}
	delete(m.names, path)
	delete(m.missing, path)
	delete(m.paths[name], path)
	if len(m.paths[name]) > 0 {
		return
	}
	delete(m.paths, name)
	for other := range m.near[name] {
		delete(m.near[other], name)
	}
	delete(m.near, name)
	if m.space != nil {
		m.space.Remove(name)
	}
}

// nearLocked adds the paths that a path is near to. Caller holds mu.
func (m *model) nearLocked(to []string, path string) []string {
	for name := range m.near[m.names[path]] {
		to = slices.AppendSeq(to, maps.Keys(m.paths[name]))
	}
	return to
}

// Near is how near-duplicates are looked for at this moment; [View.Near] is how
// they were when the View was made, which its findings go by.
func (r *Root) Near() NearState {
	if r.model == nil {
		return wordingState(r.Settings().Embedder)
	}
	return r.model.state()
}

// state is how things stand.
func (m *model) state() NearState {
	m.mu.Lock()
	defer m.mu.Unlock()
	state := NearState{Embedder: m.id, Coverage: Meaning, Missing: len(m.missing)}
	switch {
	case m.failed != nil:
		state.Why = whyOf(m.failed)
	case !m.ready && len(m.missing) > 0:
		state.Why = "The embedder has not answered yet."
	default:
		return state
	}
	state.Coverage, state.Missing = Unchecked, len(m.names)
	return state
}

func whyOf(err error) string {
	var known *failure.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return "The embedder cannot be used."
}

// put keeps the vectors that have come, and returns the paths that have one now.
// Vectors of another space take the place of all there were: then moved is true,
// the others have to come again, and who was near to somebody is returned, too.
func (m *model) put(id string, vectors map[memory.Hash][]float32) (paths []string, moved bool) {
	m.mu.Lock()
	if moved = id != m.id && m.space != nil; moved {
		paths = m.tiedLocked()
		m.forgetLocked()
	}
	m.id = id
	for name, v := range vectors {
		if len(m.paths[name]) == 0 {
			delete(vectors, name)
			continue
		}
		if m.space == nil {
			m.space = flat.New(len(v))
		}
		m.space.Put(name, v)
		for path := range m.paths[name] {
			delete(m.missing, path)
			paths = append(paths, path)
		}
	}
	space := m.space
	m.mu.Unlock()
	m.tie(space, vectors)
	return paths, moved
}

// tiedLocked are the paths that are near to another one. Caller holds mu.
func (m *model) tiedLocked() (paths []string) {
	for name := range m.near {
		paths = slices.AppendSeq(paths, maps.Keys(m.paths[name]))
	}
	return paths
}

// tie finds whom the vectors that have come are near to. It searches without mu,
// for which somebody who types may be waiting.
func (m *model) tie(space *flat.Space, vectors map[memory.Hash][]float32) {
	for name, v := range vectors {
		found := space.Search(v, modelNeighbours+1, float32(m.least()), nil)
		m.mu.Lock()
		for _, other := range found {
			if other.Name != name && m.paths[name] != nil && m.paths[other.Name] != nil {
				m.tieLocked(name, other.Name, float64(other.Cosine))
				m.tieLocked(other.Name, name, float64(other.Cosine))
			}
		}
		m.mu.Unlock()
	}
}

func (m *model) tieLocked(a, b memory.Hash, cosine float64) {
	if m.near[a] == nil {
		m.near[a] = map[memory.Hash]float64{}
	}
	m.near[a][b] = cosine
}

// least is the cosine below which nothing is of interest.
func (m *model) least() float64 { return min(m.threshold, m.related) - embed.Slack }

// answered notes that the model works, or why it does not, and reports whether
// that changes the coverage.
func (m *model) answered(err error) (news bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	news = (err == nil) != m.ready || err != nil && m.failed == nil
	m.ready, m.failed = err == nil, err
	return news
}

// wanted are the paths without a vector, those that are open first.
func (m *model) wanted(view *View) []string {
	m.mu.Lock()
	paths := slices.Collect(maps.Keys(m.missing))
	m.mu.Unlock()
	rank := func(path string) int {
		if view.IsOpen(path) {
			return 0
		}
		return 1
	}
	slices.SortFunc(paths, func(a, b string) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b)) })
	return paths
}

// touched are the paths whose findings may be others once the vectors of paths
// have come or, with all, once the coverage is another.
func (m *model) touched(paths []string, all bool) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	touched := slices.Clone(paths)
	for _, path := range paths {
		touched = m.nearLocked(touched, path)
	}
	if all {
		touched = append(touched, m.tiedLocked()...)
	}
	slices.Sort(touched)
	return slices.Compact(touched)
}

// Neighbour is a memory that a model puts near to another one.
type Neighbour struct {
	Path   string
	Cosine float64
}

// neighbours are the memories of a View that are near to one of its files, the
// nearest first.
func (m *model) neighbours(view *View, file *index.File) []Neighbour {
	m.mu.Lock()
	defer m.mu.Unlock()
	name, known := m.names[file.Path]
	if !known || !isCompared(file) || m.source.name(file) != name {
		return nil
	}
	var found []Neighbour
	add := func(path string, cosine float64) {
		if other := view.Snapshot.File(path); path != file.Path && isCompared(other) && m.source.name(other) == m.names[path] {
			found = append(found, Neighbour{path, cosine})
		}
	}
	for path := range m.paths[name] {
		if !m.missing[path] {
			add(path, 1)
		}
	}
	for other, cosine := range m.near[name] {
		for path := range m.paths[other] {
			add(path, cosine)
		}
	}
	slices.SortFunc(found, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Path, b.Path))
	})
	return found
}

package session

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// chooseModel starts with the model that the person's own settings name.
func (r *Root) chooseModel() {
	s := r.Settings().Embedder
	switch s.Use {
	case useWording:
	case useMemhtml:
		r.model = newModel(r, s, useMemhtml, &stored{dir: r.dir, scratch: r.stateDir()})
	default:
		embedder, err := NewEmbedder(s, r.options.EmbedderKey)
		if err != nil {
			r.model = newModel(r, s, s.Use+":"+s.Model, unusable{err})
			break
		}
		r.model = newModel(r, s, embedder.ID(), served{embedder, r})
	}
	view := *r.View()
	view.near = r.Near()
	r.view.Store(&view)
}

// stateDir is the folder of what is kept beside the tree, "" without a repository.
func (r *Root) stateDir() string {
	if r.repo == nil {
		return ""
	}
	return r.repo.StateDir()
}

// vectorSource is where the vectors of a model come from. One goroutine uses it
// at a time, but for name.
type vectorSource interface {
	// name is that of the vector of a memory.
	name(*index.File) memory.Hash
	// batch is how many memories one call of fetch is for.
	batch() int
	// pause is how long after a call it may be worth another one for memories that
	// had no vector; 0 is never.
	pause() time.Duration
	// fetch returns the vectors of memories that have one, and the id of the space
	// that they are of. Failures are *failure.Error.
	fetch(ctx context.Context, files []*index.File) (id string, vectors map[memory.Hash][]float32, err error)
}

// served are the vectors of claims from a server, which is not asked again for
// those that the database has.
type served struct {
	embed.Embedder
	root *Root
}

func (s served) name(f *index.File) memory.Hash { return embed.TextKey(s.ID(), f.Gist) }

// batch is small, so that what is typed meanwhile does not wait for long.
func (s served) batch() int { return 64 }

func (s served) pause() time.Duration { return 0 }

func (s served) fetch(ctx context.Context, files []*index.File) (string, map[memory.Hash][]float32, error) {
	names := make([]memory.Hash, len(files))
	for i, f := range files {
		names[i] = s.name(f)
	}
	vectors := s.kept(ctx, names)
	var unknown []memory.Hash
	var ask []string
	for i, name := range names {
		if vectors[name] == nil && !slices.Contains(unknown, name) {
			unknown, ask = append(unknown, name), append(ask, files[i].Gist)
		}
	}
	answers, err := s.Embed(ctx, ask)
	if err != nil {
		return s.ID(), nil, err
	}
	fresh := make(map[memory.Hash][]float32, len(answers))
	for i, v := range answers {
		fresh[unknown[i]] = v
	}
	s.keep(ctx, fresh)
	maps.Copy(vectors, fresh)
	return s.ID(), vectors, nil
}

// kept are the vectors that the database has.
func (s served) kept(ctx context.Context, names []memory.Hash) map[memory.Hash][]float32 {
	if db := s.root.cache.handle(); db != nil && len(names) > 0 {
		vectors, err := db.Vectors(ctx, s.ID(), names)
		if err == nil {
			return vectors
		}
		s.root.log.Warn("read vectors from the index database", "err", err)
	}
	return map[memory.Hash][]float32{}
}

// keep writes vectors to the database. One that is lost is asked for again.
func (s served) keep(ctx context.Context, vectors map[memory.Hash][]float32) {
	db := s.root.cache.handle()
	if db == nil || len(vectors) == 0 {
		return
	}
	if err := db.KeepVectors(ctx, s.ID(), vectors); err != nil {
		s.root.log.Warn("write vectors to the index database", "err", err)
	}
}

// stored are the vectors that memhtml keeps of the contents of a root.
type stored struct {
	dir, scratch string
	// stamp is the last look at the database, id the space of what was read then,
	// and absent what had no vector in it.
	stamp, id string
	absent    map[memory.Hash]bool
}

// storedPause is how long a run of memhtml may go unseen.
const storedPause = 15 * time.Second

func (s *stored) name(f *index.File) memory.Hash { return f.ContentHash }

// batch is everything: the whole database is read either way.
func (s *stored) batch() int { return math.MaxInt }

func (s *stored) pause() time.Duration { return storedPause }

func (s *stored) fetch(ctx context.Context, files []*index.File) (string, map[memory.Hash][]float32, error) {
	stamp := embed.MemhtmlStamp(s.dir)
	if stamp == s.stamp && !slices.ContainsFunc(files, func(f *index.File) bool { return !s.absent[f.ContentHash] }) {
		return s.id, nil, nil
	}
	wanted := make(map[memory.Hash]bool, len(files))
	for _, f := range files {
		wanted[f.ContentHash] = true
	}
	vectors := map[memory.Hash][]float32{}
	space, err := embed.ReadMemhtml(ctx, s.dir, s.scratch, func(h memory.Hash, v []float32) {
		if wanted[h] {
			vectors[h] = v
			delete(wanted, h)
		}
	})
	if err != nil {
		s.stamp = ""
		return useMemhtml, nil, err
	}
	s.stamp, s.id, s.absent = stamp, space.ID, wanted
	return s.id, vectors, nil
}

// unusable is a model whose settings are wrong.
type unusable struct{ err error }

func (unusable) name(f *index.File) memory.Hash { return f.ContentHash }

func (unusable) batch() int { return 1 }

func (unusable) pause() time.Duration { return 0 }

func (u unusable) fetch(context.Context, []*index.File) (string, map[memory.Hash][]float32, error) {
	return "", nil, u.err
}

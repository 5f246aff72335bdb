package store

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// packs reads objects from the packs of one folder of objects.
type packs struct {
	dir string
	// names are the packs without their extensions, listed is whether they were
	// looked for.
	names  []string
	listed bool
	cache  cache.Object
}

// relist makes the next look-up list the packs anew.
func (p *packs) relist() { p.names, p.listed = nil, false }

func (p *packs) list() error {
	if p.listed {
		return nil
	}
	entries, err := os.ReadDir(p.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".idx"); ok {
			p.names = append(p.names, name)
		}
	}
	p.listed = true
	return nil
}

// object returns an object, or plumbing.ErrObjectNotFound where no pack has it.
// Any other error may come from a pack that git has removed since.
func (p *packs) object(h plumbing.Hash) (o plumbing.EncodedObject, err error) {
	if o, ok := p.cache.Get(h); ok {
		return o, nil
	}
	err = p.within(h, func(name string, index *packIndex) error {
		file, err := osfs.New(p.dir).Open(name + ".pack")
		if err != nil {
			return err
		}
		pack := packfile.NewPackfileWithCache(index, nil, file, p.cache, 0)
		defer pack.Close()
		o, err = pack.Get(h)
		return err
	})
	return o, err
}

// has returns nil where a pack has an object, else an error as object does.
func (p *packs) has(h plumbing.Hash) error {
	return p.within(h, func(string, *packIndex) error { return nil })
}

// within calls do with the pack that has an object.
func (p *packs) within(h plumbing.Hash, do func(name string, index *packIndex) error) error {
	if err := p.list(); err != nil {
		return err
	}
	var unknown error
	for i, name := range p.names {
		found, err := p.look(name, h, do)
		switch {
		case found:
			// What one commit needs lies in one pack, mostly.
			p.names[0], p.names[i] = p.names[i], p.names[0]
			return err
		case errors.Is(err, errPackIndex):
			unknown = err
		case err != nil:
			return err
		}
	}
	return cmp.Or(unknown, error(plumbing.ErrObjectNotFound))
}

// look calls do if a pack has an object. Files are not held open, or git could
// not remove them on Windows.
func (p *packs) look(name string, h plumbing.Hash, do func(name string, index *packIndex) error) (found bool, err error) {
	file, err := os.Open(filepath.Join(p.dir, name+".idx"))
	if err != nil {
		return false, err
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return false, err
	}
	index, err := openPackIndex(file, st.Size())
	if err != nil {
		return false, err
	}
	if found, err = index.Contains(h); !found || err != nil {
		return false, err
	}
	return true, do(name, index)
}

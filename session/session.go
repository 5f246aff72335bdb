package session

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
)

// Session holds the open memory roots of one server. Folders come and go while
// it lives; a file belongs to its innermost root.
type Session struct {
	options func(dir string) Options

	// mu guards roots and closed.
	mu     sync.Mutex
	roots  map[string]*Root
	closed bool
}

// ErrClosed is returned by a Session that was closed.
var ErrClosed = errors.New("the session is closed")

// New returns a session without roots. options is asked once for each root.
func New(options func(dir string) Options) *Session {
	return &Session{options: options, roots: map[string]*Root{}}
}

// RootOf opens the root that holds path, which need not exist, unless it is
// open. isNew tells the caller to index it. A path outside every root gives
// nil without an error.
func (s *Session) RootOf(ctx context.Context, path string) (root *Root, isNew bool, err error) {
	dir, ok := FindRoot(path)
	if !ok {
		return nil, false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false, ErrClosed
	}
	if root := s.roots[dir]; root != nil {
		return root, false, nil
	}
	root, err = Open(ctx, dir, s.options(dir))
	if err != nil {
		return nil, false, err
	}
	s.roots[root.dir] = root
	return root, true, nil
}

// Roots returns the open roots in no order.
func (s *Session) Roots() []*Root {
	s.mu.Lock()
	defer s.mu.Unlock()
	roots := make([]*Root, 0, len(s.roots))
	for _, root := range s.roots {
		roots = append(roots, root)
	}
	return roots
}

// Forget closes one root, after its folder has left the workspace.
func (s *Session) Forget(root *Root) error {
	s.mu.Lock()
	delete(s.roots, root.dir)
	s.mu.Unlock()
	return root.Close()
}

// Close closes every root.
func (s *Session) Close() error {
	s.mu.Lock()
	roots := s.roots
	s.roots, s.closed = map[string]*Root{}, true
	s.mu.Unlock()
	var err error
	for _, root := range roots {
		err = errors.Join(err, root.Close())
	}
	return err
}

// Rel returns the path of an absolute file name inside the root, with '/', and
// false for a file outside it. Links are resolved as far as the file exists, so
// that two spellings of one file are one path.
func (r *Root) Rel(abs string) (string, bool) {
	rel, err := filepath.Rel(r.dir, resolve(abs))
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Abs returns the absolute file name of a path of the root.
func (r *Root) Abs(path string) string { return filepath.Join(r.dir, filepath.FromSlash(path)) }

// resolve follows the links of the folder a file is in, not of the file itself:
// a link that is a memory's own name stays that name.
func resolve(abs string) string {
	dir, name := filepath.Split(filepath.Clean(abs))
	for rest := name; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(filepath.Clean(dir))
		if parent == filepath.Clean(dir) {
			return abs
		}
		rest = filepath.Join(filepath.Base(filepath.Clean(dir)), rest)
		dir = parent
	}
}

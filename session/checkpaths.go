package session

import (
	"maps"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// selection is what a check reports on.
type selection struct {
	// files are memories of the View, by path.
	files map[string]*index.File
	// folders are looked into for memories where none belong; named are the pages
	// among those that were named themselves.
	folders, named []string
	// excluded is how many pages that were named the settings exclude.
	excluded int
}

// selected is what the given paths name, or everything.
func (v *View) selected(paths []string) (*selection, error) {
	s := &selection{files: map[string]*index.File{}}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, path := range paths {
		if err := v.choose(memory.NormalizePath(path), s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (v *View) choose(path string, s *selection) error {
	if file := v.Snapshot.File(path); file != nil {
		s.files[path] = file
		return nil
	}
	prefix := path + "/"
	if path == "" || path == "." {
		path, prefix = ".", ""
	}
	info, err := v.root.files.Lstat(path)
	switch {
	case err != nil:
		return failure.New(failure.PathNotFound, "%s does not exist.", diagnostics.Shown(path)).Wrap(err)
	case v.chosen.excluded(path) && v.straysTo(path):
		s.excluded++
		return nil
	case v.straysTo(path):
		s.named = append(s.named, path)
		return nil
	case !info.IsDir():
		return failure.New(failure.PathNotFound, "%s is not a memory or a folder of this root.", diagnostics.Shown(path)).
			Suggest("A memory is an .html file with a memhtml-type in its head.")
	}
	s.folders = append(s.folders, path)
	for file := range v.Snapshot.All() {
		if strings.HasPrefix(file.Path, prefix) {
			s.files[file.Path] = file
		}
	}
	return nil
}

// inOrder are the memories, by path.
func (s *selection) inOrder() []*index.File {
	files := make([]*index.File, 0, len(s.files))
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		files = append(files, s.files[path])
	}
	return files
}

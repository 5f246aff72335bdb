package lsp

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/uri"
)

// pathOf returns the absolute path that a uri names, cleaned. ok is false for
// everything that is not a local file: other schemes, other hosts, a NUL.
func pathOf(spelling string) (path string, ok bool) {
	if scheme, _, _ := strings.Cut(spelling, ":"); !strings.EqualFold(scheme, "file") {
		return "", false // the library takes what has no scheme for a file
	}
	u, err := uri.Parse(spelling)
	if err != nil {
		return "", false
	}
	if host := u.Authority(); host == "localhost" {
		u = uri.File(u.Path())
	} else if host != "" && runtime.GOOS != "windows" {
		return "", false
	}
	path = u.FsPath()
	if strings.ContainsRune(path, 0) || !filepath.IsAbs(path) {
		return "", false
	}
	return filepath.Clean(path), true
}

// realPath resolves the links of a path as far as it exists, so that two
// spellings of one file are one file: a memory reached through a link is never
// its own duplicate.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(realPath(dir), filepath.Base(path))
}

// namedPath resolves the links of the folder a file is in, and those of a folder,
// but not a file's own: what a command names is the link, as on the command line,
// and never what it leads to.
func namedPath(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return realPath(path)
	}
	return filepath.Join(realPath(filepath.Dir(path)), filepath.Base(path))
}

// spellings remembers how the client writes the names of files, so that it is
// answered in its own words. Keys are real paths.
type spellings struct {
	mu sync.RWMutex // guards everything below
	// files are the uris of documents that the client opened.
	files map[string]string
	// folders are the workspace folders: the real path, and the paths that the
	// client knows it by. It is answered by the first one.
	folders map[string][]string
}

func newSpellings() *spellings {
	return &spellings{files: map[string]string{}, folders: map[string][]string{}}
}

// file records the client's uri of a file.
func (s *spellings) file(real, spelling string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[real] = strings.Clone(spelling)
}

// folder records the client's path of a workspace folder.
func (s *spellings) folder(real, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.folders[real], path) {
		s.folders[real] = append(s.folders[real], path)
	}
}

// dropFolder forgets one of the client's paths of a workspace folder. Where the
// client has been answered by that one and there is another, it returns that.
func (s *spellings) dropFolder(real, path string) (instead string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.folders[real]
	left := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return name == path })
	if len(left) == 0 {
		delete(s.folders, real)
		return ""
	}
	if s.folders[real] = left; left[0] == known[0] {
		return ""
	}
	return left[0]
}

// of returns the uri of a real path in the client's spelling: as it opened the
// file, else below the folder it opened, else plain.
func (s *spellings) of(real string) uri.URI {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if spelling, ok := s.files[real]; ok {
		return uri.URI(spelling)
	}
	best, path := "", real
	for folder, known := range s.folders {
		rest, ok := below(folder, real)
		if ok && len(folder) > len(best) {
			best, path = folder, filepath.Join(known[0], rest)
		}
	}
	return uri.File(path)
}

// below returns the part of path under dir, "" for dir itself.
func below(dir, path string) (rest string, ok bool) {
	if path == dir {
		return "", true
	}
	prefix := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	return strings.CutPrefix(path, prefix)
}

// folderPaths returns the client's paths of the workspace folders, sorted.
func (s *spellings) folderPaths() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(s.folders))...)))
}

// touches reports whether a known folder is in or around dir.
func (s *spellings) touches(dir string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for folder := range s.folders {
		if related(folder, dir) {
			return true
		}
	}
	return false
}

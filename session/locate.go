package session

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// The bounds of root detection (format.md §1): a bucket is looked into only so
// far that starting in a home folder costs nothing.
const (
	markerFiles = 200
	markerDepth = 3
	markerBytes = 16 << 10
	// markerEntries bounds the folder entries read for one bucket, so that a
	// folder of other files is not walked in search of a memory.
	markerEntries = 2000
)

// FindRoot returns the innermost memory root that holds path (a file or a
// folder, which need not exist), with links resolved, and false when there is
// none. A folder inside a bucket of a root is a root of its own only with a
// .memhtml folder: archive/2026 has buckets, because the archive repeats the
// paths of what it holds, and anybody may call a project "areas".
func FindRoot(path string) (string, bool) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	root := ""
	for ; ; dir = filepath.Dir(dir) {
		if (root == "" || inBucket(dir, root)) && IsRoot(dir) {
			root = dir
			if hasMarkerFolder(dir) {
				return root, true
			}
		}
		if filepath.Dir(dir) == dir {
			return root, root != ""
		}
	}
}

// inBucket reports whether path lies in a bucket of the folder outer.
func inBucket(outer, path string) bool {
	rel, err := filepath.Rel(outer, path)
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	return slices.Contains(memory.Buckets, first)
}

func hasMarkerFolder(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, ".memhtml"))
	return err == nil && info.IsDir()
}

// IsRoot reports whether dir carries the marker of a memory root: a .memhtml
// folder, or a bucket with a memory in it (format.md §1).
func IsRoot(dir string) bool {
	if hasMarkerFolder(dir) {
		return true
	}
	for _, bucket := range memory.Buckets {
		if bucketHoldsMemory(filepath.Join(dir, bucket)) {
			return true
		}
	}
	return false
}

var errFound = errors.New("found")

// bucketHoldsMemory looks for one file with a memhtml-type meta among the first
// few of a bucket. Links are not followed.
func bucketHoldsMemory(bucket string) bool {
	if info, err := os.Lstat(bucket); err != nil || !info.IsDir() {
		return false
	}
	files, entries := 0, 0
	err := filepath.WalkDir(bucket, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return skipUnreadable(entry)
		}
		if entries++; entries > markerEntries {
			return fs.SkipAll
		}
		if entry.IsDir() {
			return skipDeep(bucket, path)
		}
		if !entry.Type().IsRegular() || !strings.HasSuffix(path, ".html") {
			return nil
		}
		if files++; files > markerFiles {
			return fs.SkipAll
		}
		if hasTypeMeta(path) {
			return errFound
		}
		return nil
	})
	return errors.Is(err, errFound)
}

func skipUnreadable(entry fs.DirEntry) error {
	if entry != nil && entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}

func skipDeep(bucket, path string) error {
	rel, err := filepath.Rel(bucket, path)
	if err == nil && rel != "." && strings.Count(filepath.ToSlash(rel), "/")+1 >= markerDepth {
		return fs.SkipDir
	}
	return nil
}

// hasTypeMeta reads the start of a file only: a head is short.
func hasTypeMeta(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head, err := io.ReadAll(io.LimitReader(file, markerBytes))
	return err == nil && bytes.Contains(head, []byte("memhtml-type"))
}

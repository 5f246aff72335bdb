package index

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Folders are the folders of a root, by path, as they looked before their names
// were last read.
type Folders map[string]Stat

// ScanMoved is [Scan] for what shows in the folders alone: files that appeared,
// went, or were put in the place of another, as editors that save safely and git
// do, but no file that was written in place. It looks at every folder and into
// those that do not look as they did, so that it costs what the folders do, and
// the files of the folders that moved.
//
// folders is brought up to date; after an error it is worth nothing. in returns
// the known rows of the files in a folder, without those of the folders in it,
// and for a bucket that of its own path, which it has where it cannot be walked.
func ScanMoved(ctx context.Context, dir string, folders Folders, in func(folder string) []Row) (Scanned, error) {
	top, err := openFolder(os.OpenRoot(dir))
	if err != nil {
		return Scanned{}, cannotOpen(err)
	}
	defer top.close()
	s := newScan(top, time.Now(), nil)
	moved := s.forgetMoved(dir, folders)
	var known []Row
	for _, folder := range moved {
		known = append(known, in(folder)...)
	}
	w := walker{seen: s.seen, folders: folders}
	for _, folder := range moved {
		w.again(top.below, folder)
	}
	s.folders = folders
	s.compare(known, w.sorted())
	return s.run(ctx)
}

// forgetMoved takes out of folders, and returns by path, those which do not look
// as they did, and the buckets that were not there.
func (s *scan) forgetMoved(dir string, folders Folders) (moved []string) {
	for folder, was := range folders {
		stat, mode, err := lookAt(filepath.Join(dir, filepath.FromSlash(folder)), s.seen)
		if err != nil || !mode.IsDir() || !was.Still(stat) {
			moved = append(moved, folder)
			delete(folders, folder)
		}
	}
	for _, at := range moved {
		if _, mode, err := lookAt(filepath.Join(dir, filepath.FromSlash(at), markerFolder), s.seen); err == nil && mode.IsDir() {
			moved = append(moved, forgetBelow(folders, at)...)
		}
	}
	for _, bucket := range memory.Buckets {
		if _, known := folders[bucket]; !known && !slices.Contains(moved, bucket) {
			moved = append(moved, bucket)
		}
	}
	slices.Sort(moved)
	return moved
}

// forgetBelow takes out, and returns, the folders in one that has become a root.
func forgetBelow(folders Folders, at string) (below []string) {
	for folder := range folders {
		if strings.HasPrefix(folder, at+"/") {
			below = append(below, folder)
			delete(folders, folder)
		}
	}
	return below
}

// again walks a folder, if there still is one where a walk from the buckets would
// come by, and the folders in it that are not known.
func (w *walker) again(root *os.Root, at string) {
	if _, done := w.folders[at]; done {
		return
	}
	dir, name, ok := parent(root, at)
	if !ok {
		return
	}
	defer dir.close()
	w.look(dir, name, at)
}

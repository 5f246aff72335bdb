//go:build !linux && !darwin

package index

import (
	"io/fs"
	"os"
	"time"
)

// look returns what a name in the folder looks like.
func (d folder) look(name string, seen time.Time) (Stat, fs.FileMode, error) {
	return statOf(seen)(d.below.Lstat(name))
}

// lookAt is [folder.look] for a whole path.
func lookAt(path string, seen time.Time) (Stat, fs.FileMode, error) {
	return statOf(seen)(os.Lstat(path))
}

// open opens a name in the folder.
func (d folder) open(name string) (openFile, error) {
	f, err := d.below.Open(name)
	return openFile{f}, err
}

type openFile struct{ *os.File }

func (f openFile) look(seen time.Time) (Stat, fs.FileMode, error) { return statOf(seen)(f.Stat()) }

func (f openFile) close() { f.Close() }

// statOf knows neither change time nor inode here; size and modification time
// decide.
func statOf(seen time.Time) func(fs.FileInfo, error) (Stat, fs.FileMode, error) {
	return func(info fs.FileInfo, err error) (Stat, fs.FileMode, error) {
		if err != nil {
			return Stat{}, 0, err
		}
		return Stat{Size: info.Size(), Mtime: info.ModTime().UnixNano(), Seen: seen.UnixNano()}, info.Mode().Type(), nil
	}
}

package store

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
)

// journal is what recovery needs to finish a commit or to forget it. It is
// written once, whole, before the first lock is taken: everything in it is
// known by then.
type journal struct {
	Token string `json:"token"`
	// Ref is the reference that moves: a branch, or HEAD when detached.
	Ref string `json:"ref"`
	// Old is "" for a first commit.
	Old string `json:"old"`
	New string `json:"new"`
	// Loose tells whether Ref had a file of its own.
	Loose bool `json:"loose"`
	// Log is the line for the reflogs.
	Log string `json:"log"`
	// Folders did not exist before, outermost first.
	Folders []string       `json:"folders,omitempty"`
	Files   []*journalFile `json:"files"`
}

// journalFile is one touched path. Old and New are ids of the bytes on disk,
// which are not those of the blobs where git changes line ends; "" is absent.
type journalFile struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
	// Perm is the permission of the file to be written.
	Perm uint32 `json:"perm,omitempty"`
	// Kept says that New is not the content of the commit.
	Kept bool `json:"kept,omitempty"`
	// Temp, Backup and Aside are names in the temp folder: of the new content,
	// of the old file, and of a file on its way out.
	Temp     string    `json:"temp,omitempty"`
	Backup   string    `json:"backup,omitempty"`
	Aside    string    `json:"aside,omitempty"`
	OldEntry indexMark `json:"oldEntry"`
	NewEntry indexMark `json:"newEntry"`
}

// indexMark is an index entry without its stat fields; Mode 0 is none.
type indexMark struct {
	Mode  uint32 `json:"mode,omitempty"`
	ID    string `json:"id,omitempty"`
	Flags uint16 `json:"flags,omitempty"`
}

func (m indexMark) edit(path string) indexEdit {
	id, _ := parseOID(m.ID)
	return indexEdit{path: path, mode: m.Mode, id: id, flags: m.Flags}
}

func (r *Repo) journalPath() string { return filepath.Join(r.writerDir(), "journal.json") }

// tempDir holds what is written before it is renamed. Whatever is in it while
// no journal exists is rubbish.
func (r *Repo) tempDir() string { return filepath.Join(r.writerDir(), "tmp") }

func (j *journal) text() string {
	b, err := json.Marshal(j)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return string(b)
}

// rewriteJournal replaces the journal.
func (r *Repo) rewriteJournal(j *journal) error {
	temp := filepath.Join(r.tempDir(), j.Token+".journal")
	if err := errors.Join(writeTemp(temp, []byte(j.text()), 0o666), r.share(temp)); err != nil {
		return err
	}
	if err := rename(temp, r.journalPath()); err != nil {
		return err
	}
	return syncDir(r.writerDir())
}

// forget removes the temps and then the journal. The removal is not synced:
// recovery of a journal that a power cut brings back finds its work done.
func (r *Repo) forget() error {
	if err := r.clearTemps(); err != nil {
		return err
	}
	if err := os.Remove(r.journalPath()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// clearTemps empties the temp folder; the caller holds the writer lock.
func (r *Repo) clearTemps() error {
	r.clearWhole()
	entries, err := os.ReadDir(r.tempDir())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if rerr := os.RemoveAll(filepath.Join(r.tempDir(), e.Name())); rerr != nil {
			err = rerr
		}
	}
	return err
}

// writeTemp writes a file that must not exist and makes its content durable.
func writeTemp(path string, data []byte, perm os.FileMode) error {
	return writeNew(path, data, perm, (*os.File).Sync)
}

func writeNew(path string, data []byte, perm os.FileMode, end syncing) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, end(f), f.Close()); err != nil {
		_ = os.Remove(path)
	}
	return err
}

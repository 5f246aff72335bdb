package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// No system replaces or removes a file on condition of its content, and an
// editor's save may land between a look and the act. So the file is moved out
// of the way first, then looked at, and moved back if it is not the expected
// one. A file under its aside name is one that nobody has looked at yet.

var (
	// errChanged says that a file is not the expected one, and that it is where
	// it was.
	errChanged = errors.New("the file has changed")
	// errHalf says that a file was moved and the disk then failed; settle ends it.
	errHalf       = errors.New("a file was moved in part")
	errNoExchange = errors.New("names cannot be exchanged here")
)

// testOnlyNoExchange takes the way of systems that cannot exchange names.
var testOnlyNoExchange bool

// without is the rest of a joined error, nil where there is none.
func without(err, known error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var rest []error
		for _, e := range joined.Unwrap() {
			rest = append(rest, without(e, known))
		}
		return errors.Join(rest...)
	}
	if errors.Is(err, known) {
		return nil
	}
	return err
}

func half(err error) error { return fmt.Errorf("%w: %w", errHalf, err) }

func (r *Repo) abs(p string) string { return filepath.Join(r.top, filepath.FromSlash(p)) }

// remove removes a file that has the content with the blob id want.
func (r *Repo) remove(f *journalFile, want string) error {
	abs := r.abs(f.Path)
	aside, err := moveAside(abs, r.tempName(f.Aside))
	if err != nil {
		return err
	}
	if err := at(StepAside); err != nil {
		return half(err)
	}
	if fileIs(aside, want) {
		return os.Remove(aside)
	}
	return errors.Join(errChanged, putBack(aside, abs))
}

// moveAside gives a file another name: in the temp folder, or beside itself
// where that is on another file system.
func moveAside(abs, aside string) (string, error) {
	err := rename(abs, aside)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		aside = beside(aside, abs)
		err = rename(abs, aside)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", errChanged
	}
	return aside, err
}

// putBack gives a file its name back, unless there is a later one by now.
func putBack(aside, abs string) error {
	err := os.Link(aside, abs)
	switch {
	case err == nil || errors.Is(err, fs.ErrExist):
		return os.Remove(aside)
	case exists(abs):
		return os.Remove(aside)
	}
	return rename(aside, abs)
}

// replace puts a temp in the place of a file that has the content with the
// blob id want, and returns the file that was put there.
func (r *Repo) replace(f *journalFile, temp, want string) (placed fs.FileInfo, err error) {
	abs := r.abs(f.Path)
	return near(r.tempName(temp), abs, func(temp string) error {
		err := exchange(temp, abs)
		switch {
		case errors.Is(err, errNoExchange):
			return r.replaceAside(f, temp, want)
		case errors.Is(err, fs.ErrNotExist) && !exists(abs):
			return errChanged
		case err != nil:
			return err
		}
		if err := at(StepAside); err != nil {
			return half(err)
		}
		if fileIs(temp, want) {
			return nil
		}
		return errors.Join(errChanged, f.exchangeBack(temp, abs))
	})
}

// exchangeBack takes back an exchange that brought out a file of the person's.
// What comes out then is the store's, or else a still later save.
func (f *journalFile) exchangeBack(temp, abs string) error {
	if err := exchange(temp, abs); err != nil {
		return half(errors.Join(err, putBack(temp, abs)))
	}
	if f.knows(temp) {
		return nil
	}
	return exchange(temp, abs)
}

// knows tells whether a file has the old or the new content.
func (f *journalFile) knows(abs string) bool {
	for _, id := range []string{f.Old, f.New, f.NewEntry.ID} {
		if id != "" && fileIs(abs, id) {
			return true
		}
	}
	return false
}

func (r *Repo) replaceAside(f *journalFile, temp, want string) error {
	abs := r.abs(f.Path)
	aside, err := moveAside(abs, r.tempName(f.Aside))
	if err != nil {
		return err
	}
	if err := at(StepAside); err != nil {
		return half(err)
	}
	if !fileIs(aside, want) {
		return errors.Join(errChanged, putBack(aside, abs))
	}
	switch err := linkNew(temp, abs); {
	case errors.Is(err, fs.ErrExist):
		return errors.Join(errChanged, os.Remove(aside))
	case err != nil:
		return errors.Join(err, putBack(aside, abs))
	}
	return os.Remove(aside)
}

// near calls put with a temp, and where that fails once more with a copy in
// the folder of its destination: the git folder may be on another file system
// than the files.
func near(temp, abs string, put func(temp string) error) (placed fs.FileInfo, err error) {
	if placed, err = os.Lstat(temp); err != nil {
		return nil, err
	}
	if err = put(temp); err == nil || final(err) {
		return placed, err
	}
	copied := beside(temp, abs)
	if cerr := copyBeside(temp, copied); cerr != nil {
		return nil, errors.Join(err, cerr)
	}
	if placed, err = os.Lstat(copied); err != nil {
		return nil, err
	}
	err = put(copied)
	if !errors.Is(err, errHalf) {
		_ = os.Remove(copied)
	}
	return placed, err
}

// final holds for the outcomes that another try would not change.
func final(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrExist, errChanged, errHalf}, func(e error) bool { return errors.Is(err, e) })
}

// beside is what a temp is called in the folder of its destination.
func beside(temp, abs string) string {
	return filepath.Join(filepath.Dir(abs), "."+filepath.Base(temp))
}

// fileIs tells whether a regular file has the content with this blob id.
func fileIs(abs, id string) bool {
	st, err := os.Lstat(abs)
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	b, err := os.ReadFile(abs)
	return err == nil && hashObject("blob", b).String() == id
}

// settle ends what a failure or a kill left between moving a file and looking
// at it: what is aside goes back, and so does a save that was exchanged.
func (r *Repo) settle(f *journalFile) error {
	abs := r.abs(f.Path)
	for _, aside := range r.spellings(f.Aside, abs) {
		if err := putBack(aside, abs); err != nil {
			return err
		}
	}
	for _, temp := range append(r.spellings(f.Temp, abs), r.spellings(f.Backup, abs)...) {
		if f.knows(temp) || exists(abs) && !f.knows(abs) {
			continue
		}
		if err := takeOver(temp, abs); err != nil {
			return err
		}
	}
	return nil
}

// takeOver puts the person's file over what the store has put there.
func takeOver(temp, abs string) error {
	if exists(abs) {
		return rename(temp, abs)
	}
	return putBack(temp, abs)
}

// spellings are the places at which a temp is.
func (r *Repo) spellings(temp, abs string) []string {
	if temp == "" {
		return nil
	}
	at := []string{r.tempName(temp), beside(temp, abs)}
	return slices.DeleteFunc(at, func(name string) bool { return !exists(name) })
}

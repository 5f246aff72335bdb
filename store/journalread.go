package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// errJournal is in the chain of what is wrong with the content of a journal.
// The store writes none such, not even when it is killed: a disk or a hand did.
var errJournal = errors.New("malformed journal")

// readJournal returns nil when there is none.
func (r *Repo) readJournal() (*journal, error) {
	b, err := os.ReadFile(r.journalPath())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	j := new(journal)
	if err := json.Unmarshal(b, j); err != nil {
		return nil, fmt.Errorf("%w: %w", errJournal, err)
	}
	return j, j.check()
}

// check refuses names that lead out of where the store works, because recovery
// removes and writes by them.
func (j *journal) check() error {
	token, ours := strings.CutPrefix(j.Token, tokenPrefix)
	switch {
	case !ours || token == "" || strings.Trim(token, "0123456789abcdef") != "":
		return fmt.Errorf("%w: its token", errJournal)
	case j.Ref != "HEAD" && !isBranch(j.Ref):
		return fmt.Errorf("%w: its reference", errJournal)
	}
	_, newErr := parseOID(j.New)
	_, oldErr := parseOID(j.Old)
	if newErr != nil || oldErr != nil && j.Old != "" {
		return fmt.Errorf("%w: its commits", errJournal)
	}
	for _, f := range j.Files {
		if f == nil || !validPath(f.Path) || !j.owns(f.Temp) || !j.owns(f.Backup) || !j.owns(f.Aside) {
			return fmt.Errorf("%w: its files", errJournal)
		}
	}
	return nil
}

// owns holds for no name, and for one that the store gives to a temp.
func (j *journal) owns(name string) bool {
	return name == "" || strings.HasPrefix(name, j.Token+".") && filepath.Base(name) == name
}

// setJournalAside renames a journal that says nothing, where that loses
// nothing: no lock of ours is there, hence nothing visible was begun, or all
// of it was done.
func (r *Repo) setJournalAside(reason error) error {
	b, err := os.ReadFile(r.indexLockPath())
	if err == nil && strings.HasPrefix(string(b), tokenPrefix) {
		return failure.New(failure.GitState, "A commit was cut short, and its record, %s, cannot be read.", r.journalPath()).
			Suggest("See with git status and git log how far it came. Then remove that file and every .lock file in the git folder.").
			Wrap(reason)
	}
	aside := r.journalPath() + ".damaged"
	if err := rename(r.journalPath(), aside); err != nil {
		return recoverFailure(err)
	}
	r.notice("The record of an earlier commit could not be read. Nothing of that commit is left undone; the record was renamed to " + aside + ".")
	return storageOrNil(r.clearTemps())
}

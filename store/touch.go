package store

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// touched is one path of a plan, in its four states: in the last commit, in
// the index, on disk, and as it is wanted.
type touched struct {
	// path is below the top, rel below the root.
	path, rel string
	// vacated is set when a change takes the path's content away, taken when
	// one puts content there; an edit does both.
	vacated, taken bool
	expect         *memory.Hash
	// data is the content as the plan has it, file as it will be on disk, blob
	// as git stores it.
	data, file, blob []byte
	blobID           oid
	// kept stays on disk in place of data; untracked leaves the path out of the
	// commit and the index.
	kept      []byte
	untracked bool
	// mode is the one that the commit is to have, "" for that of from.
	mode string
	// from is the path whose mode the content inherits; nil for a create.
	from *touched

	head  treeEntry
	entry indexEntry
	disk  diskFile
	// cleanID is of the content on disk as git would store it.
	cleanID oid
	// temp is the file that is to be put there, placed the one that the writer
	// has put there.
	temp, placed fs.FileInfo
}

// diskFile is a file as it was read.
type diskFile struct {
	stat fs.FileInfo
	sum  memory.Hash
	id   oid
	data []byte
}

func (t *touched) inHead() bool { return t.head.mode != "" }

// commits tells whether the commit has content at the path.
func (t *touched) commits() bool { return t.taken && !t.untracked }

func (t *touched) inIndex() bool { return t.entry.mode != 0 }

// gather turns the changes into touched paths, ordered by path.
func (r *Repo) gather(p Plan) ([]*touched, error) {
	// Git keeps no time before 1970.
	if p.At.Unix() < 0 {
		return nil, failure.New(failure.MissingArgument, "The plan does not say when it is made.")
	}
	byPath := map[string]*touched{}
	at := func(rel string) *touched {
		t := byPath[rel]
		if t == nil {
			t = &touched{path: r.full(rel), rel: rel}
			byPath[rel] = t
		}
		return t
	}
	for _, c := range p.Changes {
		if err := c.check(); err != nil {
			return nil, err
		}
		var from *touched
		if c.From != "" {
			from = at(c.From)
			if from.vacated {
				return nil, twice(c.From)
			}
			from.vacated, from.expect = true, c.Expect
		}
		if c.Path != "" {
			to := at(c.Path)
			if to.taken {
				return nil, twice(c.Path)
			}
			to.taken, to.data, to.from = true, c.After, from
			to.kept, to.untracked, to.mode = c.Kept, c.Untracked, c.mode()
		}
	}
	if len(byPath) == 0 {
		return nil, failure.New(failure.MissingArgument, "There is nothing to commit.")
	}
	if err := checkNesting(byPath); err != nil {
		return nil, err
	}
	ts := slices.Collect(maps.Values(byPath))
	slices.SortFunc(ts, func(a, b *touched) int { return cmp.Compare(a.path, b.path) })
	return ts, nil
}

// mode is the mode that a change asks for, "" for none.
func (c Change) mode() string {
	switch {
	case c.Executable == nil:
		return ""
	case *c.Executable:
		return modeExecutable
	}
	return modeFile
}

// checkNesting refuses a plan in which a new file lies below another.
func checkNesting(byPath map[string]*touched) error {
	for _, t := range byPath {
		for _, dir := range parents(t.rel) {
			if above := byPath[dir]; t.taken && above != nil && above.taken {
				return failure.New(failure.RoleConflict, "%s would be a file and a folder at once.", dir)
			}
		}
	}
	return nil
}

func (c Change) check() error {
	for _, p := range []string{c.From, c.Path} {
		if p != "" && !validPath(p) {
			return failure.New(failure.PathNotFound, "%q is not a path inside the memory root.", p)
		}
	}
	switch {
	case c.From == "" && c.Path == "":
		return failure.New(failure.MissingArgument, "A change of the plan names no file.")
	case c.Untracked && c.Kept == nil:
		return failure.New(failure.MissingArgument, "A change of the plan leaves nothing at its file.")
	case (c.From == "") != (c.Expect == nil):
		return failure.New(failure.MissingArgument, "A change of the plan does not say which content of the file it expects.")
	}
	return nil
}

func twice(path string) error {
	return failure.New(failure.RoleConflict, "%s is named twice in one command.", path)
}

// validPath holds for a path that stays below the root and that git would not
// take for its own folder on any file system.
func validPath(p string) bool {
	if !fs.ValidPath(p) || p == "." || strings.ContainsAny(p, "\x00\\") || !filepath.IsLocal(filepath.FromSlash(p)) {
		return false
	}
	for name := range strings.SplitSeq(p, "/") {
		plain := strings.ToLower(strings.TrimRight(strings.Map(visible, name), " ."))
		if plain == ".git" || plain == "git~1" || strings.HasPrefix(plain, ".git:") {
			return false
		}
	}
	return true
}

// visible drops the characters that HFS+ ignores in names.
func visible(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}

// readDisk fills in the disk's state and holds it against the plan.
func (t *touched) readDisk(root *os.Root) error {
	if err := t.checkFolders(root); err != nil {
		return err
	}
	st, err := root.Lstat(filepath.FromSlash(t.path))
	switch {
	case errors.Is(err, fs.ErrNotExist) || isNotDir(err):
		if t.vacated {
			return failure.New(failure.PathNotFound, "%s does not exist.", t.rel)
		}
		return nil
	case err != nil:
		return storageFailure(err)
	case !t.vacated:
		return destinationExists(t.rel)
	case !st.Mode().IsRegular():
		return failure.New(failure.GitState, "%s is not an ordinary file.", t.rel).
			Suggest("Links and folders are left alone; name the file itself.")
	}
	if t.disk, err = readFile(root, t.path); err != nil {
		return failure.New(failure.Storage, "%s cannot be read.", t.rel).Suggest("Check its permissions.").Wrap(err)
	}
	if t.disk.sum != *t.expect {
		return stale(t.rel)
	}
	return nil
}

// checkFolders refuses a path that leads through a link, another repository or
// a file.
func (t *touched) checkFolders(root *os.Root) error {
	for _, dir := range parents(t.path) {
		st, err := root.Lstat(filepath.FromSlash(dir))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return storageFailure(err)
		case st.Mode().IsRegular() && t.taken:
			return failure.New(failure.DestinationExists, "%s cannot be made, because a folder above it is a file.", t.rel)
		case st.Mode().IsRegular():
			return failure.New(failure.PathNotFound, "%s does not exist.", t.rel)
		case !st.IsDir():
			return failure.New(failure.GitState, "A folder above %s is a link, and links are not followed.", t.rel)
		}
		if _, err := root.Lstat(filepath.FromSlash(dir + "/.git")); err == nil {
			return failure.New(failure.GitState, "%s is inside another git repository.", t.rel).
				Suggest("Make this change in that repository.")
		}
	}
	return nil
}

// unchanged tells whether the file on disk is still the one that was read.
func (t *touched) unchanged(root *os.Root) error {
	if err := t.checkFolders(root); err != nil {
		return err
	}
	st, err := root.Lstat(filepath.FromSlash(t.path))
	switch {
	case t.disk.stat == nil && err == nil:
		return destinationExists(t.rel)
	case t.disk.stat == nil:
		return nil
	case err != nil:
		return failure.New(failure.PathNotFound, "%s does not exist any more.", t.rel).Wrap(err)
	case sameStat(st, t.disk.stat):
		return nil
	}
	again, err := readFile(root, t.path)
	if err != nil || again.sum != t.disk.sum {
		return stale(t.rel)
	}
	t.disk = again
	return nil
}

func readFile(root *os.Root, path string) (diskFile, error) {
	f, err := root.Open(filepath.FromSlash(path))
	if err != nil {
		return diskFile{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return diskFile{}, err
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return diskFile{}, err
	}
	return diskFile{stat: st, sum: sha256.Sum256(b), id: hashObject("blob", b), data: b}, nil
}

func stale(rel string) error {
	return failure.New(failure.StaleDocument, "%s has changed since.", rel).Suggest("Look at it again and repeat the command.")
}

func destinationExists(rel string) error {
	if original, ok := memory.UnarchivePath(rel); ok {
		return failure.New(failure.DestinationExists, "%s exists already: a memory of that path was archived before.", rel).
			Suggest("Give " + original + " another name and try again with that.")
	}
	return failure.New(failure.DestinationExists, "%s exists already.", rel).
		Suggest("Rename or remove one of the two files first.")
}

// isNotDir holds when a path leads through something that is no folder.
func isNotDir(err error) bool {
	var pe *fs.PathError
	return errors.As(err, &pe) && strings.Contains(pe.Err.Error(), "not a directory")
}

// checkHead fills in the last commit's state.
func (t *touched) checkHead(r *Repo, tree oid) error {
	for _, dir := range parents(t.path) {
		e, ok, err := r.lookup(tree, dir)
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		if !e.isTree() {
			return notAFile(t.rel)
		}
	}
	e, ok, err := r.lookup(tree, t.path)
	switch {
	case err != nil || !ok:
		return err
	case !e.isFile():
		return notAFile(t.rel)
	case !t.vacated:
		return failure.New(failure.DestinationExists, "%s exists already in the last commit.", t.rel).
			Suggest("Commit its removal first.")
	}
	t.head = e
	return nil
}

func notAFile(rel string) error {
	return failure.New(failure.GitState, "%s is a submodule, a link or a folder to git, or lies below one.", rel)
}

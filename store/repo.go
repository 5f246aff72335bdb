package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// ErrNoGit is in the chain of Open's error when no repository holds the root.
var ErrNoGit = errors.New("no git repository holds this folder")

// objectCacheSize bounds what is kept of decoded objects, in bytes. A large
// flat folder's tree is about 1 MB, and one commit reads it more than once.
const objectCacheSize = 8 << 20

// Repo is one git repository seen from one memory root. Its methods are safe
// for concurrent use; two Repos of one repository exclude each other's commits
// through the writer lock, as two processes do.
type Repo struct {
	root, top, prefix, gitDir, commonDir string

	shared  sharing
	options Options

	// storageMu guards storage and packs, which are not safe for concurrent use.
	storageMu sync.Mutex
	storage   *filesystem.Storage
	packs     packs

	folders folders

	noticesMu sync.Mutex
	// notices wait for the next result that can carry warnings.
	notices []string
	// finished is the commit that a repair has finished last.
	finished string
}

func (r *Repo) notice(text string) {
	r.noticesMu.Lock()
	defer r.noticesMu.Unlock()
	r.notices = append(r.notices, text)
}

func (r *Repo) takeNotices() []string {
	r.noticesMu.Lock()
	defer r.noticesMu.Unlock()
	taken := r.notices
	r.notices = nil
	return taken
}

// Options are what the person decides for a repository.
type Options struct {
	// Hooks is asked for each commit what becomes of git's hooks; nil is HooksRun.
	Hooks func() Hooks
}

// Open finds the repository that holds root. It fails with
// failure.UnsupportedRepository for a repository whose references or objects
// cannot be read (bare, SHA-256, reftable, unknown extensions), and with
// ErrNoGit in the chain where there is none.
func Open(ctx context.Context, root string, options Options) (*Repo, error) {
	if err := ctx.Err(); err != nil {
		return nil, cancelled(err)
	}
	real, err := realPath(root)
	if err != nil {
		return nil, failure.New(failure.PathNotFound, "The folder of the memory root cannot be read.").Wrap(err)
	}
	top, gitDir, err := discover(real)
	if err != nil {
		return nil, err
	}
	r := &Repo{root: real, top: top, gitDir: gitDir, commonDir: commonDirOf(gitDir), options: options}
	if r.prefix, err = prefixOf(top, real); err != nil {
		return nil, err
	}
	if err := checkFormat(r); err != nil {
		return nil, err
	}
	fs := dotgit.NewRepositoryFilesystem(osfs.New(r.gitDir), osfs.New(r.commonDir))
	lru := cache.NewObjectLRU(objectCacheSize)
	r.storage = filesystem.NewStorageWithOptions(fs, lru, filesystem.Options{AlternatesFS: osfs.New("/")})
	r.packs = packs{dir: filepath.Join(r.commonDir, "objects", "pack"), cache: lru}
	return r, nil
}

// Root returns the memory root as an absolute path without links.
func (r *Repo) Root() string { return r.root }

// Top returns the top folder of the worktree as an absolute path.
func (r *Repo) Top() string { return r.top }

// Prefix returns the root's path below Top with '/', without a slash at either
// end; "" when the root is the top.
func (r *Repo) Prefix() string { return r.prefix }

// GitDir returns this worktree's own git directory.
func (r *Repo) GitDir() string { return r.gitDir }

// StateDir returns the folder for this root's state, which need not exist
// (design.md §7).
func (r *Repo) StateDir() string {
	if r.prefix == "" {
		return r.writerDir()
	}
	sum := sha256.Sum256([]byte(r.prefix))
	return filepath.Join(r.writerDir(), hex.EncodeToString(sum[:])[:16])
}

// writerDir holds the journal and the writer lock: one per worktree, because
// HEAD and the index are.
func (r *Repo) writerDir() string { return filepath.Join(r.gitDir, "memhtml-ls") }

// Close releases what the object storage holds open.
func (r *Repo) Close() error {
	r.storageMu.Lock()
	defer r.storageMu.Unlock()
	return r.storage.Close()
}

// repackTries is how often an object is looked for while git repacks: each try
// lists the packs anew, and git removes an old one only after a new one is there.
const repackTries = 3

// object returns the content of an object of the wanted type. One that cannot
// be read is looked for again after the packs are listed anew, because git may
// have repacked since.
func (r *Repo) object(t plumbing.ObjectType, id oid) ([]byte, error) {
	r.storageMu.Lock()
	defer r.storageMu.Unlock()
	b, err := r.readObject(t, id)
	for try := 1; err != nil && try < repackTries; try++ {
		r.storage.Reindex()
		r.packs.relist()
		b, err = r.readObject(t, id)
	}
	return b, err
}

// readObject is one try of object. Caller holds storageMu.
func (r *Repo) readObject(t plumbing.ObjectType, id oid) ([]byte, error) {
	o, err := r.encodedObject(t, id)
	switch {
	case err != nil:
		return nil, err
	case o.Type() != t:
		return nil, plumbing.ErrObjectNotFound
	}
	rd, err := o.Reader()
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	b := make([]byte, o.Size())
	_, err = io.ReadFull(rd, b)
	return b, err
}

// encodedObject finds an object where git puts it, loose or in a pack, and asks
// the storage for one that lies in a repository that this one borrows from.
// Caller holds storageMu.
func (r *Repo) encodedObject(t plumbing.ObjectType, id oid) (plumbing.EncodedObject, error) {
	if !exists(r.loosePath(id)) {
		o, err := r.packs.object(plumbing.Hash(id))
		if !r.isElsewhere(err) {
			return o, err
		}
	}
	return r.storage.EncodedObject(t, plumbing.Hash(id))
}

func (r *Repo) hasObject(id oid) bool {
	r.storageMu.Lock()
	defer r.storageMu.Unlock()
	if exists(r.loosePath(id)) {
		return true
	}
	err := r.packs.has(plumbing.Hash(id))
	if r.isElsewhere(err) {
		_, err = r.storage.EncodedObject(plumbing.AnyObject, plumbing.Hash(id))
	}
	return err == nil
}

// isElsewhere tells whether the storage may find what no pack has.
func (r *Repo) isElsewhere(err error) bool {
	return errors.Is(err, plumbing.ErrObjectNotFound) && exists(filepath.Join(r.commonDir, "objects", "info", "alternates"))
}

// rel turns a path below the top into one below the root.
func (r *Repo) rel(full string) (string, bool) {
	if r.prefix == "" {
		return full, true
	}
	return strings.CutPrefix(full, r.prefix+"/")
}

// full turns a root-relative path into one below the top.
func (r *Repo) full(rel string) string {
	if r.prefix == "" {
		return rel
	}
	return r.prefix + "/" + rel
}

func realPath(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func prefixOf(top, root string) (string, error) {
	rel, err := filepath.Rel(top, root)
	if err != nil {
		return "", err
	}
	if rel == "." {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}

// discover walks up from dir to the first folder with a .git of its own.
func discover(dir string) (top, gitDir string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		if isGitDir(at) {
			return "", "", unsupported("This is a bare repository or the inside of a git folder, which has no files to commit.")
		}
		gitDir, ok, err := dotGit(at)
		if err != nil {
			return "", "", err
		}
		if ok {
			return at, gitDir, nil
		}
		if filepath.Dir(at) == at {
			return "", "", unsupported("No git repository holds this folder, so nothing can be committed.").
				Suggest("Run memhtml-ls init, or git init, in the memory root.").Wrap(ErrNoGit)
		}
	}
}

// dotGit resolves at/.git, a folder or a file that names one.
func dotGit(at string) (string, bool, error) {
	path := filepath.Join(at, ".git")
	if isGitDir(path) {
		real, err := filepath.EvalSymlinks(path)
		return real, err == nil, err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", false, nil
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(b), "\r\n"), "gitdir: ")
	if !ok {
		return "", false, nil
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(at, target)
	}
	if !isGitDir(target) {
		return "", false, unsupported("The .git file here names a folder that is not a git folder.").
			Suggest("Repair the worktree with git worktree repair.")
	}
	real, err := filepath.EvalSymlinks(target)
	return real, err == nil, err
}

// isGitDir holds for a git folder, a linked worktree's included. Reftable
// repositories have a placeholder HEAD and refs, so that they are found here
// and refused by name later.
func isGitDir(path string) bool {
	if _, err := os.Lstat(filepath.Join(path, "HEAD")); err != nil {
		return false
	}
	if exists(filepath.Join(path, "commondir")) {
		return true
	}
	return exists(filepath.Join(path, "objects")) && exists(filepath.Join(path, "refs"))
}

func commonDirOf(gitDir string) string {
	b, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	common := strings.TrimRight(string(b), "\r\n")
	if !filepath.IsAbs(common) {
		common = filepath.Join(gitDir, common)
	}
	if real, err := filepath.EvalSymlinks(common); err == nil {
		return real
	}
	return common
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func unsupported(format string, args ...any) *failure.Error {
	return failure.New(failure.UnsupportedRepository, format, args...)
}

func cancelled(err error) *failure.Error {
	return failure.New(failure.Cancelled, "The command was cancelled; nothing was changed.").Wrap(err)
}

package store

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sync/errgroup"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

const blobObject = plumbing.BlobObject

// newObject is an object that a commit needs and the repository may lack.
type newObject struct {
	kind plumbing.ObjectType
	data []byte
	id   oid
}

// hashObject returns the id that git gives to an object.
func hashObject(kind string, data []byte) oid {
	h := sha1.New()
	h.Write([]byte(kind + " " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	return oid(h.Sum(nil))
}

// writers bounds how many files are written and synced at a time, see together.
const writers = 16

// lacking are the objects that must be written, each once. Those that are there
// loose are made young: git removes old objects that nothing refers to, and
// nothing refers to these until the reference moves. Packed ones are written
// once more, because a pack is removed whole.
func (r *Repo) lacking(objects []newObject) []newObject {
	var lack []newObject
	seen := map[oid]bool{}
	for _, o := range objects {
		if !seen[o.id] && !r.freshen(o.id) {
			lack = append(lack, o)
		}
		seen[o.id] = true
	}
	return lack
}

// freshen tells whether an object is loose, and sets its time to now.
func (r *Repo) freshen(id oid) bool {
	now := time.Now()
	return os.Chtimes(r.loosePath(id), now, now) == nil
}

// writeObject writes an object to a temp file and makes its content durable.
// go-git's own writer names an object before it is synced, and a power cut
// would then leave an empty file under a valid id.
func writeObject(temp string, o newObject, sync syncing) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	return errors.Join(encodeObject(f, o), sync(f), f.Close())
}

// nameObject moves a temp file to its object's name and returns the folders
// that must be synced for the name to be durable.
func (r *Repo) nameObject(temp string, id oid) (dirs []string, err error) {
	dir := r.objectDir(id)
	dirs = []string{dir}
	if err := r.share(temp); err != nil {
		return nil, err
	}
	// A repacking git removes folders that are empty at the moment.
	for range folderTries {
		if err = os.Mkdir(dir, 0o777); err == nil {
			dirs = append(dirs, filepath.Dir(dir))
			if err := r.share(dir); err != nil {
				return nil, err
			}
		} else if !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		if err = rename(temp, r.loosePath(id)); !errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	return dirs, err
}

// objectDir is the folder of a loose object.
func (r *Repo) objectDir(id oid) string {
	return filepath.Join(r.commonDir, "objects", id.String()[:2])
}

// loosePath is the file of a loose object.
func (r *Repo) loosePath(id oid) string { return filepath.Join(r.objectDir(id), id.String()[2:]) }

// folderTries bounds how often a folder of objects is made that goes away.
const folderTries = 10

// syncDirs makes the names in folders durable, all at once.
func syncDirs(dirs []string) error {
	slices.Sort(dirs)
	var g errgroup.Group
	g.SetLimit(writers)
	for _, dir := range slices.Compact(dirs) {
		g.Go(func() error {
			if err := syncDir(dir); !errors.Is(err, os.ErrNotExist) {
				return err
			}
			return nil
		})
	}
	return g.Wait()
}

// encoders are kept between objects. They look for no repetitions: a tree is
// mostly ids, a small file takes a whole block of the disk anyway, git packs both
// anew, and looking would touch most of a megabyte for each object that is
// written at the time.
var encoders = sync.Pool{New: func() any {
	z, err := zlib.NewWriterLevel(nil, zlib.HuffmanOnly)
	if err != nil {
		panic(err) // the level is a constant
	}
	return z
}}

func encodeObject(f *os.File, o newObject) error {
	z := encoders.Get().(*zlib.Writer)
	defer encoders.Put(z)
	out := bufio.NewWriterSize(f, min(maxEncoded, len(o.data)+objectOverhead))
	z.Reset(out)
	_, err := fmt.Fprintf(z, "%s %d\x00", o.kind, len(o.data))
	if err == nil {
		_, err = z.Write(o.data)
	}
	return errors.Join(err, z.Close(), out.Flush())
}

const (
	// maxEncoded is how much of an encoded object is written at once, in bytes.
	maxEncoded = 1 << 18
	// objectOverhead is what the encoding of a small object adds to it at most.
	objectOverhead = 64
)

// commitObject is what is read of a commit.
type commitObject struct {
	tree    oid
	parents []oid
	// when is the committer's time in seconds of the Unix epoch.
	when int64
}

var errCommit = errors.New("malformed commit object")

func (r *Repo) commit(id oid) (commitObject, error) {
	raw, err := r.object(plumbing.CommitObject, id)
	if err == nil {
		var c commitObject
		if c, err = parseCommit(raw); err == nil {
			return c, nil
		}
	}
	return commitObject{}, failure.New(failure.Git, "A commit cannot be read from the git repository.").
		Suggest("Run git fsck there.").Wrap(fmt.Errorf("commit %s: %w", id, err))
}

func parseCommit(raw []byte) (c commitObject, err error) {
	head, _, _ := bytes.Cut(raw, []byte("\n\n"))
	for line := range bytes.Lines(append(head, '\n')) {
		key, value, _ := bytes.Cut(bytes.TrimRight(line, "\n"), []byte(" "))
		switch string(key) {
		case "tree":
			c.tree, err = parseOID(string(value))
		case "parent":
			var p oid
			p, err = parseOID(string(value))
			c.parents = append(c.parents, p)
		case "committer":
			c.when = unixTime(value)
		}
		if err != nil {
			return c, err
		}
	}
	if c.tree == (oid{}) {
		return c, errCommit
	}
	return c, nil
}

// unixTime reads the time out of "Name <mail> 1700000000 +0000"; 0 when there
// is none.
func unixTime(ident []byte) int64 {
	fields := bytes.Fields(ident[bytes.LastIndexByte(ident, '>')+1:])
	if len(fields) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

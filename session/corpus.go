package session

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// corpus tells one command, which holds the writer lock, who holds a content
// and who fills a frame. It speaks of saved files alone: what is being typed
// somewhere refuses nobody's write.
//
// In an indexed root the View answers. A root that was opened for one command
// asks the database, brought up to HEAD first at the cost of what was committed
// since. What was edited by hand and not committed it knows too where the root
// is small enough to look at every file; in a larger one only what a server has
// written to the database. What it believes of a file is therefore held against
// the file before anybody relies on it, see [Root.stillHolds].
type corpus struct {
	root *Root
	// snapshot answers when it is not nil, else db.
	snapshot *index.Snapshot
	// db has the claims; nil where there is no database.
	db *index.DB
	// close lets go of what was opened for the command.
	close func()
}

// smallRoot is up to how many memories every command looks at the stat of each.
const smallRoot = 2000

func (r *Root) openCorpus(ctx context.Context) (*corpus, error) {
	if r.indexed() {
		if err := r.catchUp(ctx); err != nil {
			return nil, err
		}
		return &corpus{root: r, snapshot: r.View().Snapshot, db: r.cache.handle(), close: func() {}}, nil
	}
	for _, open := range []func(context.Context, string) (*index.DB, error){index.OpenUnread, index.Open} {
		db, err := open(ctx, r.databasePath())
		if err == nil {
			if err = r.bringUpToHead(ctx, db); err == nil {
				return &corpus{root: r, db: db, close: func() { r.closeWritten(db) }}, nil
			}
			r.closeAsked(db)
		}
		if ctx.Err() != nil {
			return nil, err
		}
		r.log.Warn("ask the index database", "err", err)
	}
	c := &corpus{root: r, close: func() {}}
	return c, c.scan(ctx)
}

// closeWritten records what the command did for a session while the database is
// open anyway.
func (r *Root) closeWritten(db *index.DB) {
	ctx, cancel := context.WithTimeout(context.Background(), recordLimit)
	defer cancel()
	r.cache.writeLinks(ctx, db)
	r.closeAsked(db)
}

func (r *Root) closeAsked(db *index.DB) {
	if err := db.Close(); err != nil {
		r.log.Warn("close the index database", "err", err)
	}
}

// catchUp lets what other processes have committed enter the View.
func (r *Root) catchUp(ctx context.Context) error {
	head, err := r.repo.Head(ctx)
	if err != nil {
		return err
	}
	was := r.Head()
	if head.Commit == was.Commit {
		return nil
	}
	changed, err := r.repo.Diff(ctx, was.Commit, head.Commit)
	if err != nil {
		// The commit before may be gone; a look at everything does not need it.
		_, err = r.look(ctx, true)
		return err
	}
	paths := make([]string, 0, len(changed))
	for path := range changed {
		paths = append(paths, path)
	}
	return r.enter(ctx, paths)
}

// maxCatchUps is how often a command brings the database up to HEAD while others
// move it away.
const maxCatchUps = 5

// bringUpToHead is bringUp for a database that other processes write too.
func (r *Root) bringUpToHead(ctx context.Context, db *index.DB) (err error) {
	for range maxCatchUps {
		if err = r.bringUp(ctx, db); !errors.Is(err, index.ErrMoved) {
			return err
		}
	}
	return err
}

// bringUp brings a database up to HEAD, and up to the files of a small root. It
// is filled from the files when it does not say what it was made from, or when
// that is not to be had any more.
func (r *Root) bringUp(ctx context.Context, db *index.DB) error {
	head, err := r.repo.Head(ctx)
	if err != nil {
		return err
	}
	mark, filled, err := db.Watermark(ctx)
	if err != nil {
		return err
	}
	if !filled {
		return r.fill(ctx, db, head)
	}
	if mark.Head != head.Commit {
		changed, err := r.repo.Diff(ctx, mark.Head, head.Commit)
		if err != nil {
			return r.fill(ctx, db, head)
		}
		if err := r.applyCommitted(ctx, db, changed, mark, head); err != nil {
			return err
		}
	}
	return r.applyUncommitted(ctx, db, head)
}

// fill makes the database hold the files as they are.
func (r *Root) fill(ctx context.Context, db *index.DB, head store.Head) error {
	rows, err := r.scanAll(ctx, head)
	if err != nil {
		return err
	}
	return db.Replace(ctx, slices.Values(rows), index.Watermark{Head: head.Commit})
}

func (r *Root) scanAll(ctx context.Context, head store.Head) ([]index.Row, error) {
	tracked, err := r.repo.Tracked(ctx, head.Commit)
	if err != nil {
		return nil, err
	}
	found, err := index.Scan(ctx, r.dir, nil, nil)
	if err != nil {
		return nil, err
	}
	for i, row := range found.Rows {
		_, in := tracked[row.File.Path]
		found.Rows[i].File = row.File.With(in, row.File.Unmerged, 0)
	}
	return found.Rows, nil
}

// applyCommitted reads the files that differ between two commits.
func (r *Root) applyCommitted(ctx context.Context, db *index.DB, changed map[string]bool, mark index.Watermark, head store.Head) error {
	var rows []index.Row
	var removed []string
	for path, tracked := range changed {
		if !memory.IsMemoryPath(path) {
			continue
		}
		row, ok := index.Read(r.files, path, nil)
		if !ok {
			removed = append(removed, path)
			continue
		}
		row.File = row.File.With(tracked, false, 0)
		rows = append(rows, row)
	}
	return db.Apply(ctx, rows, removed, mark, index.Watermark{Head: head.Commit})
}

// applyUncommitted looks at the stat of every file of a small root.
func (r *Root) applyUncommitted(ctx context.Context, db *index.DB, head store.Head) error {
	small, err := db.AtMost(ctx, smallRoot)
	if err != nil || !small {
		return err
	}
	known, _, err := db.Load(ctx)
	if err != nil {
		return err
	}
	found, err := index.Scan(ctx, r.dir, known, nil)
	if err != nil || len(found.Moved)+len(found.Removed) == 0 {
		return err
	}
	mark := index.Watermark{Head: head.Commit}
	return db.Apply(ctx, found.Moved, found.Removed, mark, mark)
}

// scan makes the files themselves answer, for a root whose database cannot be
// used.
func (c *corpus) scan(ctx context.Context) error {
	head, err := c.root.repo.Head(ctx)
	if err != nil {
		return err
	}
	rows, err := c.root.scanAll(ctx, head)
	if err != nil {
		return err
	}
	files := make([]*index.File, len(rows))
	for i, row := range rows {
		files[i] = row.File
	}
	c.snapshot, c.db = index.Build(files), nil
	return nil
}

// ask answers all of a question at once. The answer is what the index believes.
func (c *corpus) ask(ctx context.Context, q index.Question) (index.Answer, error) {
	if c.snapshot == nil {
		answer, err := c.askDatabase(ctx, q)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return index.Answer{}, err
		}
		c.root.log.Warn("ask the index database", "err", err)
		if err := c.scan(ctx); err != nil {
			return index.Answer{}, err
		}
	}
	answer := index.Answer{Contents: map[memory.Hash][]*index.File{}, Normals: map[memory.Hash][]*index.File{}, Frames: map[string][]*index.File{}}
	s := c.snapshot
	for _, h := range q.Contents {
		answer.Contents[h] = saved(s, s.Holders(h), func(f *index.File) bool { return f.ContentHash == h })
	}
	for _, h := range q.Normals {
		answer.Normals[h] = saved(s, s.NormalHolders(h), func(f *index.File) bool { return f.NormalHash == h })
	}
	for _, key := range q.Frames {
		answer.Frames[key] = saved(s, s.FrameHolders(key), func(f *index.File) bool { return f.FrameKey == key })
	}
	return answer, nil
}

// askDatabase asks the database of the commit that HEAD is at. A server writes
// its own state into it whenever it likes, which may be one from before the
// commit that bringUp made it know.
func (c *corpus) askDatabase(ctx context.Context, q index.Question) (index.Answer, error) {
	for range maxCatchUps {
		answer, err := c.db.Ask(ctx, q)
		if err != nil {
			return answer, err
		}
		head, err := c.root.repo.Head(ctx)
		if err != nil || answer.Watermark.Head == head.Commit {
			return answer, err
		}
		if err := c.root.bringUpToHead(ctx, c.db); err != nil {
			return answer, err
		}
	}
	return index.Answer{}, index.ErrMoved
}

// saved are the files of the disk with a property, given the visible ones that
// have it: an open buffer may hide a file that has it, and may have it where its
// file has not.
func saved(s *index.Snapshot, visible iter.Seq[*index.File], has func(*index.File) bool) []*index.File {
	var files []*index.File
	add := func(path string) {
		if f := s.Disk(path); f != nil && f.Eligible() && has(f) {
			files = append(files, f)
		}
	}
	for f := range visible {
		add(f.Path)
	}
	hides := false
	for f := range s.Open() {
		if hides = true; !f.Eligible() || !has(f) {
			add(f.Path)
		}
	}
	if hides {
		slices.SortFunc(files, func(f, g *index.File) int {
			if f.Before(g) {
				return -1
			}
			return 1
		})
	}
	return files
}

// claims asks the claims table alone who may keep each content: the second
// refusal, which does not rest on the first (M18). A database that cannot be
// asked refuses nobody.
func (c *corpus) claims(ctx context.Context, hashes []memory.Hash) (map[memory.Hash]string, error) {
	if c.db == nil || len(hashes) == 0 {
		return nil, nil
	}
	claims, err := c.db.Claims(ctx, hashes)
	if err != nil && failure.CodeOf(err) == failure.Cancelled {
		return nil, err
	}
	if err != nil {
		c.root.log.Warn("ask the claims of the index database", "err", err)
	}
	return claims, nil
}

// holder is the first saved file other than except that has a content, "" when
// there is none.
func (c *corpus) holder(ctx context.Context, hash memory.Hash, except string) (string, error) {
	answer, err := c.ask(ctx, index.Question{Contents: []memory.Hash{hash}})
	if err != nil {
		return "", err
	}
	has := func(f *index.File) bool { return f.ContentHash == hash }
	for _, file := range answer.Contents[hash] {
		if file.Path != except && c.root.stillHolds(file.Path, has) {
			return file.Path, nil
		}
	}
	claims, err := c.claims(ctx, []memory.Hash{hash})
	if err != nil {
		return "", err
	}
	if path := claims[hash]; path != "" && path != except && c.root.stillHolds(path, has) {
		return path, nil
	}
	return "", nil
}

// stillHolds reads a file and reports whether it is, as it is on disk now, an
// eligible memory with a property that the index believes it has.
func (r *Root) stillHolds(path string, has func(*index.File) bool) bool {
	source, err := r.readFile(path)
	if err != nil {
		return false
	}
	file := index.NewFile(path, source)
	return file.Eligible() && has(file)
}

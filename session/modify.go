package session

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// Kind is what happened to a file.
type Kind int

// The kinds of modification. Opened to Closed come from an editor and carry its
// text; Touched says that the file on disk may be another one.
const (
	Opened Kind = iota
	Changed
	Saved
	Closed
	Touched
)

// Modification is one change from anywhere. Path is relative to the root, Text
// the whole new text of an Opened or Changed buffer, Others those of further
// documents that the editor has of the same file, under other names.
type Modification struct {
	Kind    Kind
	Path    string
	Text    []byte
	Others  [][]byte
	Version int32
}

// Change is what one pass of the funnel did: the View it made, and the paths
// whose findings may be others now, sorted.
type Change struct {
	View     *View
	Affected []string
}

// Modify is the one funnel: every change of a root, whatever its cause, enters
// here or through Edit, and leaves as one new View. Equal bytes are no change.
// The Change is also delivered to Options.OnChange, in the order of the Views.
//
// Saved, Closed and Touched read the files they name.
func (r *Root) Modify(mods ...Modification) Change {
	r.disk.Lock()
	defer r.disk.Unlock()
	return r.install(mods, reading{rows: r.readTouched(mods)})
}

// Edit is Modify for Opened, Changed and Closed alone. It touches no disk and
// waits for no disk pass, so a keystroke costs one parse and O(log n); a file
// that is closed is what it was when it was last read.
func (r *Root) Edit(mods ...Modification) Change { return r.install(mods, reading{}) }

// reading is what one pass over the disk and git found.
type reading struct {
	// rows are the files as they are now; nil means gone.
	rows map[string]*index.Row
	// tracked tells for the paths whose place in HEAD's tree changed whether
	// they are in it now.
	tracked map[string]bool
	// head is the commit that the reading brings the rows up to, nil when it does
	// not say. The database is marked with it once it has the rows, so that a
	// process that is killed in between leaves none unread.
	head *store.Head
	// unmerged replaces the set of conflicted paths when it is not nil.
	unmerged map[string]bool
}

// readTouched reads what the modifications say may differ on disk. Caller holds
// r.disk, so that an older reading never replaces a newer one.
func (r *Root) readTouched(mods []Modification) map[string]*index.Row {
	var paths []string
	for _, mod := range mods {
		if mod.Kind != Opened && mod.Kind != Changed {
			paths = append(paths, mod.Path)
		}
	}
	rows := make(map[string]*index.Row)
	r.readAlso(rows, paths)
	return rows
}

// readAlso adds to a reading the files that are not in it. Caller holds r.disk.
func (r *Root) readAlso(rows map[string]*index.Row, paths []string) {
	for _, path := range paths {
		if _, done := rows[path]; !done && memory.IsMemoryPath(path) {
			rows[path] = r.readRow(path)
		}
		if r.overtaken != nil {
			r.overtaken[path] = true
		}
	}
}

// readRow looks at one file; nil means that there is none.
func (r *Root) readRow(path string) *index.Row {
	known := r.View().Snapshot.Disk(path)
	row, ok := index.Read(r.files, path, known)
	if !ok {
		return nil
	}
	if row.File != known && row.File.Unread == "" {
		r.work.parsed.Add(1)
	}
	return &row
}

// install makes the next View from editor modifications and a reading.
func (r *Root) install(mods []Modification, read reading) Change {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.View()
	delta := index.Delta{Disk: r.diskDelta(old.Snapshot, read), Open: map[string]*index.File{}}
	buffers := maps.Clone(old.buffers)
	for _, mod := range mods {
		r.installBuffer(buffers, mod)
	}
	for path, b := range buffers {
		saved := slices.ContainsFunc(mods, func(mod Modification) bool { return mod.Kind == Saved && mod.Path == path })
		disk := diskFile(old.Snapshot, delta.Disk, path)
		b = r.withDecoded(b, path, disk).leftBehind(old.Snapshot.Disk(path), disk)
		buffers[path] = b.refreshed(path, disk, saved)
	}
	for path := range allKeys(buffers, old.buffers) {
		if file := openFile(buffers, path); file != openFile(old.buffers, path) {
			delta.Open[path] = file
		}
	}
	if read.head != nil {
		r.cache.mark(read.head.Commit)
	}
	if len(delta.Disk) > 0 {
		r.work.passes.Add(1)
	}
	return r.publish(old, delta, buffers)
}

// publish swaps the View in and tells the subscriber. A day that has passed is a
// change of its own: the poller brings it here. Caller holds r.mu.
func (r *Root) publish(old *View, delta index.Delta, buffers map[string]*buffer) Change {
	today := r.today()
	if len(delta.Disk) == 0 && len(delta.Open) == 0 && today == old.today && maps.Equal(old.buffers, buffers) {
		return Change{View: old}
	}
	next := &View{Snapshot: old.Snapshot, today: today, root: r, buffers: buffers, chosen: old.chosen, near: old.near}
	if len(delta.Disk) > 0 || len(delta.Open) > 0 {
		next.Snapshot = old.Snapshot.Apply(delta)
		r.moves.note(old.Snapshot, delta.Disk)
	}
	change := Change{View: next, Affected: affected(old, next, delta)}
	if r.model != nil {
		change.Affected = merged(change.Affected, r.model.note(next, change.Affected))
	}
	r.view.Store(next)
	r.tell(change)
	return change
}

func (r *Root) tell(change Change) {
	if r.options.OnChange != nil {
		r.options.OnChange(change)
	}
}

// diskDelta keeps of a reading what differs from the snapshot, and queues it for
// the database. Caller holds r.mu.
func (r *Root) diskDelta(snapshot *index.Snapshot, read reading) map[string]*index.File {
	delta := make(map[string]*index.File)
	for path, row := range read.rows {
		was := snapshot.Disk(path)
		if row == nil {
			r.gone(delta, path, was)
			continue
		}
		file := row.File.With(r.wasTracked(was, path), r.unmerged[path], 0)
		if was != nil && sameFile(was, file) {
			file = was
		} else {
			delta[path] = file
		}
		delete(r.headOnly, path)
		r.stats[path] = row.Stat
		r.cache.put(index.Row{File: file, Stat: row.Stat})
	}
	r.retrack(snapshot, delta, read.tracked)
	r.remerge(snapshot, delta, read.unmerged)
	return delta
}

// gone records a file that is not on disk any more.
func (r *Root) gone(delta map[string]*index.File, path string, was *index.File) {
	if was == nil {
		return
	}
	delta[path] = nil
	delete(r.stats, path)
	if was.Tracked {
		r.headOnly[path] = true
	}
	r.cache.remove(path)
}

// wasTracked answers for a path whose place in HEAD did not change.
func (r *Root) wasTracked(was *index.File, path string) bool {
	return was != nil && was.Tracked || r.headOnly[path]
}

// retrack applies changes of HEAD's tree to files that stay as they are on disk.
func (r *Root) retrack(snapshot *index.Snapshot, delta map[string]*index.File, tracked map[string]bool) {
	for path, now := range tracked {
		file := diskFile(snapshot, delta, path)
		switch {
		case file == nil && now:
			r.headOnly[path] = true
		case file == nil:
			delete(r.headOnly, path)
		case file.Tracked != now:
			delta[path] = file.With(now, file.Unmerged, 0)
			r.cache.put(index.Row{File: delta[path], Stat: r.stats[path]})
		}
	}
}

// remerge applies a change of the set of conflicted paths.
func (r *Root) remerge(snapshot *index.Snapshot, delta map[string]*index.File, unmerged map[string]bool) {
	if unmerged == nil {
		return
	}
	for path := range allKeys(r.unmerged, unmerged) {
		if file := diskFile(snapshot, delta, path); file != nil && file.Unmerged != unmerged[path] {
			delta[path] = file.With(file.Tracked, unmerged[path], 0)
			r.cache.put(index.Row{File: delta[path], Stat: r.stats[path]})
		}
	}
	r.unmerged = unmerged
}

// sameFile reports whether a reading of a file brings nothing new.
func sameFile(a, b *index.File) bool {
	return a.Blob == b.Blob && a.Unread == b.Unread && a.Tracked == b.Tracked && a.Unmerged == b.Unmerged
}

// installBuffer applies what an editor said. Caller holds r.mu.
func (r *Root) installBuffer(buffers map[string]*buffer, mod Modification) {
	switch mod.Kind {
	case Opened:
		r.openings++
		buffers[mod.Path] = &buffer{
			text: mod.Text, others: mod.Others, blob: index.BlobOf(mod.Text), version: mod.Version, opened: r.openings,
		}
	case Changed:
		if was := buffers[mod.Path]; was != nil {
			buffers[mod.Path] = was.changed(mod)
		}
	case Closed:
		delete(buffers, mod.Path)
	}
}

// changed is the buffer after a didChange; equal bytes keep the parse.
func (b *buffer) changed(mod Modification) *buffer {
	next := *b
	next.version, next.others = mod.Version, mod.Others
	if !bytes.Equal(b.text, mod.Text) {
		next.text, next.blob, next.doc = mod.Text, index.BlobOf(mod.Text), nil
	}
	return &next
}

// refreshed is the buffer with its parse and File brought up to date. What the
// disk holds decides whether it was edited (D2, D3). A buffer that nobody edited
// goes with its file: after an archive or a checkout the tab that is left says
// nothing until somebody types in it.
func (b *buffer) refreshed(path string, disk *index.File, saved bool) *buffer {
	if disk == nil && b.doc != nil && !b.edited {
		next := *b
		next.file = nil
		return &next
	}
	edited := b.edited || !b.shows(disk, b.blob)
	if b.doc != nil && edited == b.edited && !saved && sameOrder(b.file, disk) {
		return b
	}
	next := *b
	next.edited = edited
	if next.doc == nil {
		next.doc = parseBuffer(next.text)
	}
	next.file = bufferFile(&next, path, disk)
	if !saved {
		next.file = keepRelations(next.file, b.file, disk)
	}
	return &next
}

// leftBehind is the buffer once its file is gone. With all that was typed saved
// before, it has no edit of anybody any more.
func (b *buffer) leftBehind(was, disk *index.File) *buffer {
	if disk != nil || !b.edited || !b.isSaved(was) {
		return b
	}
	next := *b
	next.edited = false
	return &next
}

// parseBuffer parses a buffer unless it is too large to take part (D20).
func parseBuffer(text []byte) *memory.Document {
	if len(text) > memory.MaxSize {
		return memory.Parse(nil)
	}
	return memory.Parse(text)
}

// bufferFile is the File of a buffer, ordered as D2 says.
func bufferFile(b *buffer, path string, disk *index.File) *index.File {
	tracked, unmerged, incoming := false, false, uint64(0)
	if disk != nil {
		tracked, unmerged = disk.Tracked, disk.Unmerged
	}
	if b.edited {
		incoming = b.opened
	}
	file := &index.File{Path: path, Unread: index.TooLarge}
	if len(b.text) <= memory.MaxSize {
		file = index.FromDocument(path, b.doc)
	}
	return file.With(tracked, unmerged, incoming)
}

// keepRelations carries the relation facts of the last good state into a buffer
// whose format is broken at the moment, so that findings in two files do not
// flicker while somebody types (D3).
func keepRelations(file, last, disk *index.File) *index.File {
	if file.Accepted || file.Unread != "" {
		return file
	}
	if last == nil {
		last = disk
	}
	if last == nil || !last.Accepted {
		return file
	}
	kept := *file
	kept.Accepted = true
	kept.ContentHash, kept.NormalHash = last.ContentHash, last.NormalHash
	kept.Type, kept.Created, kept.Gist = last.Type, last.Created, last.Gist
	kept.FrameKey, kept.FrameValue, kept.ShownValue = last.FrameKey, last.FrameValue, last.ShownValue
	kept.Links, kept.Life = last.Links, last.Life
	return &kept
}

func sameOrder(file, disk *index.File) bool {
	return file != nil && (disk == nil || file.Tracked == disk.Tracked && file.Unmerged == disk.Unmerged)
}

// diskFile is the file on disk once the delta is applied.
func diskFile(snapshot *index.Snapshot, delta map[string]*index.File, path string) *index.File {
	if file, ok := delta[path]; ok {
		return file
	}
	return snapshot.Disk(path)
}

func openFile(buffers map[string]*buffer, path string) *index.File {
	if b := buffers[path]; b != nil {
		return b.file
	}
	return nil
}

// committed lets a commit of our own enter the funnel. A root that was opened
// for one command has no View to keep; the next start finds what moved.
func (r *Root) committed(ctx context.Context, paths []string) {
	if !r.indexed() {
		return
	}
	if err := r.enter(ctx, paths); err != nil {
		r.log.Warn("read what a commit changed", "err", err)
	}
}

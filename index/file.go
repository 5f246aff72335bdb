package index

import (
	"strings"

	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/same"
)

// BlobID is the git object id (SHA-1) of a file's bytes: the identity by which
// "did not change" is decided.
type BlobID [20]byte

// File is what the corpus knows of one file: a few hundred bytes, never the
// text or the tree. It is immutable once it is in a Snapshot; strings in it do
// not alias the source.
type File struct {
	// Path is relative to the root, with '/', as it is on disk.
	Path string
	Blob BlobID
	// ContentHash and NormalHash are the two tiers of sameness (R3); NormalHash
	// is zero where the second tier does not apply (an article with <pre>).
	ContentHash, NormalHash memory.Hash
	// Type is the memory type as written.
	Type string
	// Created is memhtml-created as written, compared as a string.
	Created string
	Gist    string
	// FrameKey is empty when the claim has no frame; FrameValue is its value
	// in normal form, ShownValue the value as written. SameValue decides
	// restatement from conflict.
	FrameKey, FrameValue, ShownValue string
	// Links are the memory links of the head with their resolved targets.
	Links []Link
	// Origin is nil where the head says nothing of it.
	Origin *Origin
	// Life is nil where the head says nothing of it; see [File.Says].
	Life *Life
	// Accepted says that the file has no format violation and no conflict
	// markers; Flawed that a report on the file alone would not be empty: it has
	// a violation, a warning, a dropped meta, a stale content hash or conflict
	// markers. What a finding needs the path, the day or other files for is not in
	// it, see [Snapshot.Quiet].
	Accepted, Flawed bool
	// SaysArchived is what an accepted file has for its status, wherever it is;
	// Inverted says that it stops being valid before it begins.
	SaysArchived, Inverted bool
	// Tracked says that the path is in HEAD's tree.
	Tracked bool
	// Unmerged says that git's index holds conflict stages for the path.
	Unmerged bool
	// Incoming is zero for a saved file; for an open buffer that was edited it
	// is a number that grows with the order of opening (D2). The reporting side
	// of a pair is the later file in Order.
	Incoming uint64
	// Unread, when not empty, is why the file could not be taken in
	// ("too-large", "unreadable", "not-regular"); such a file has no other facts.
	Unread string
}

// Origin is what the head of a memory says of its beginning and its end.
type Origin struct {
	// Session is who wrote it, memhtml-session (M110).
	Session string
	// Ended is memhtml-archived as written, which is true of a file in the archive.
	Ended string
}

// Life is what the head of a memory says of its time.
type Life struct {
	// TaskStatus, Due and ValidUntil are the metas of that name as written.
	TaskStatus, Due, ValidUntil string
	// SupersededBy is the path that memhtml-superseded-by names, empty when it
	// names none that could be a memory's.
	SupersededBy string
}

// SameValue reports that two files of one frame put the same into it, in the
// same words or in others that say it: "2 GiB" and "2048 MiB".
func (f *File) SameValue(g *File) bool {
	return f.FrameValue == g.FrameValue ||
		same.Compare(same.Of(f.ShownValue), same.Of(g.ShownValue)).Kind == same.Same
}

// Says is what the head says of the file's life, the zero Life where that is
// nothing.
func (f *File) Says() Life {
	if f.Life == nil {
		return Life{}
	}
	return *f.Life
}

// Link is one memory link of a file.
type Link struct {
	// Rel is the relation with '_'.
	Rel string
	// Target and Alternate are root-relative paths, see [memory.Link.Target].
	Target, Alternate string
}

// Archived reports whether the path lies under archive/, which alone decides
// (format.md §1).
func (f *File) Archived() bool { return memory.IsArchived(f.Path) }

// Misstated reports whether the status of an accepted file is not that of its
// place: archived outside of the archive, or active in it.
func (f *File) Misstated() bool { return f.SaysArchived != f.Archived() }

// exemptType is the memory type that never takes part in relations.
const exemptType = "task"

// Eligible reports whether the file takes part in relations: accepted, not
// archived, not a task (design.md §6). [eligibleSQL] is its twin for the
// database; a test compares the two.
func (f *File) Eligible() bool {
	return f.Accepted && !f.Archived() && f.Type != exemptType
}

// Compared reports whether the file's claim is held against others in other
// words: it is eligible, no arc, which tells what is elsewhere, and no episode,
// which may happen again (D15).
func (f *File) Compared() bool {
	return f.Eligible() && f.Type != "arc" && f.Type != "episodic" && f.Gist != ""
}

// With returns the file with other git and editor facts, and f itself when
// they are the same. f does not change.
func (f *File) With(tracked, unmerged bool, incoming uint64) *File {
	if f.Tracked == tracked && f.Unmerged == unmerged && f.Incoming == incoming {
		return f
	}
	g := *f
	g.Tracked, g.Unmerged, g.Incoming = tracked, unmerged, incoming
	return &g
}

// movedTo is what a parse of the same bytes at another path would give.
func (f *File) movedTo(path string) *File {
	g := *f
	g.Path, g.Tracked, g.Unmerged, g.Incoming = strings.Clone(path), false, false, 0
	return &g
}

// Before is the order of D2 that decides which of two files reports: saved
// before incoming, tracked before untracked, then created, then path. It is a
// function of the tree and the open buffers alone.
func (f *File) Before(g *File) bool {
	if f.Incoming != g.Incoming {
		return f.Incoming < g.Incoming
	}
	if f.Tracked != g.Tracked {
		return f.Tracked
	}
	if f.Created != g.Created {
		return f.Created < g.Created
	}
	return f.Path < g.Path
}

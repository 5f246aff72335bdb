package store

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// The trailers that name a file and the blob of what was on disk there and in no
// commit. UncommittedKey is for the bytes that a commit took in (D18), LeftKey for
// those that one on the way back left there. The blob is kept as long as git keeps
// what nothing refers to, which is two weeks unless gc.pruneExpire says
// otherwise.
const (
	UncommittedKey = "Memhtml-Uncommitted"
	LeftKey        = "Memhtml-Left"
)

// uncommitted are the root-relative paths whose content on disk no commit had.
func (a *attempt) uncommitted() []string {
	var paths []string
	for _, t := range a.paths {
		if t.wasUncommitted(a.settings) {
			paths = append(paths, t.rel)
		}
	}
	slices.Sort(paths)
	return paths
}

// wasUncommitted tells whether the file on disk is another one than that of the
// last commit, as git would store it.
func (t *touched) wasUncommitted(s settings) bool {
	const groupWritable = "100664" // of early versions of git
	return t.vacated && (t.cleanID != t.head.id || t.diskMode(s) != t.head.mode && t.head.mode != groupWritable)
}

// withUncommitted adds to a message what was, and what will be, on disk without
// a commit, and to the objects its bytes.
func (a *attempt) withUncommitted(m Message) Message {
	m.Trailers = slices.Clone(m.Trailers)
	key := UncommittedKey
	add := func(t *touched, content []byte) {
		o := newObject{kind: plumbing.BlobObject, data: content, id: hashObject("blob", content)}
		a.objects = append(a.objects, o)
		m.Trailers = append(m.Trailers, Trailer{key, o.id.String() + " " + trailerPath(t.rel)})
	}
	for _, t := range a.paths {
		if t.wasUncommitted(a.settings) {
			add(t, t.disk.data)
		}
	}
	key = LeftKey
	for _, t := range a.paths {
		if t.kept != nil {
			add(t, t.kept)
		}
	}
	return m
}

// keepTrailers gives a message that hooks have changed the trailers back that undo
// needs: what they name is in no commit.
func (a *attempt) keepTrailers(message string) string {
	lines := strings.Split(message, "\n")
	var lost []string
	for line := range strings.Lines(a.message) {
		line = strings.TrimSuffix(line, "\n")
		key, _, _ := strings.Cut(line, ":")
		if (key == UncommittedKey || key == LeftKey) && !slices.Contains(lines, line) {
			lost = append(lost, line)
		}
	}
	if len(lost) == 0 {
		return message
	}
	return message + "\n" + strings.Join(lost, "\n") + "\n"
}

// trailerPath is a path as a trailer holds it: quoted where it could be taken
// for another.
func trailerPath(path string) string {
	if path != oneLine(path) || strings.HasPrefix(path, `"`) {
		return strconv.Quote(path)
	}
	return path
}

// Uncommitted returns what a commit says, under one of the keys, of files that
// were on disk and in no commit: the id of the blob by root-relative path. The
// blobs may be gone.
func (r *Repo) Uncommitted(commit, key string) (map[string][20]byte, error) {
	id, err := parseOID(commit)
	if err != nil {
		return nil, failure.New(failure.InvalidFlag, "This is not the id of a commit.").Wrap(err)
	}
	raw, err := r.object(plumbing.CommitObject, id)
	if err != nil {
		return nil, failure.New(failure.Git, "A commit cannot be read from the git repository.").Wrap(err)
	}
	files := map[string][20]byte{}
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, key+": "); ok {
			addUncommitted(files, strings.TrimRight(value, "\r\n"))
		}
	}
	return files, nil
}

// addUncommitted reads one trailer; what somebody else wrote there counts only
// in the form that is written here.
func addUncommitted(files map[string][20]byte, value string) {
	hex, path, _ := strings.Cut(value, " ")
	if strings.HasPrefix(path, `"`) {
		path, _ = strconv.Unquote(path)
	}
	if id, err := parseOID(hex); err == nil && validPath(path) {
		files[path] = id
	}
}

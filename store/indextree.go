package store

import (
	"bytes"
	"crypto/sha1"
	"path"
	"strconv"
)

// maxTreeDepth bounds the recursion over a cached tree.
const maxTreeDepth = 1024

// invalidateTree returns the TREE extension (git's cache of tree ids by
// folder) with the folders above the touched paths marked as unknown and all
// others kept. A malformed one gives nil: it is a cache.
func invalidateTree(data []byte, touched []string) []byte {
	dirs := map[string]bool{".": true}
	for _, p := range touched {
		for _, d := range parents(p) {
			dirs[d] = true
		}
	}
	c := treeCopier{in: data, out: make([]byte, 0, len(data)), dirs: dirs}
	if !c.node(".", maxTreeDepth) || len(c.in) != 0 {
		return nil
	}
	return c.out
}

type treeCopier struct {
	in, out []byte
	dirs    map[string]bool
}

// node copies one folder and those below it: name NUL, number of entries,
// space, number of subfolders, newline, and the id unless the number is
// negative.
func (c *treeCopier) node(parent string, depth int) bool {
	name, rest, ok := bytes.Cut(c.in, []byte{0})
	if !ok || depth == 0 {
		return false
	}
	line, rest, ok := bytes.Cut(rest, []byte{'\n'})
	count, subs, ok2 := bytes.Cut(line, []byte{' '})
	n, err := strconv.Atoi(string(subs))
	entries, err2 := strconv.Atoi(string(count))
	if !ok || !ok2 || err != nil || err2 != nil || entries >= 0 && len(rest) < sha1.Size {
		return false
	}
	dir := path.Join(parent, string(name))
	c.out = append(append(c.out, name...), 0)
	if c.dirs[dir] || entries < 0 {
		c.out = append(c.out, "-1 "...)
	} else {
		c.out = append(append(c.out, count...), ' ')
	}
	c.out = append(append(c.out, subs...), '\n')
	if entries >= 0 {
		if !c.dirs[dir] {
			c.out = append(c.out, rest[:sha1.Size]...)
		}
		rest = rest[sha1.Size:]
	}
	c.in = rest
	for range n {
		if !c.node(dir, depth-1) {
			return false
		}
	}
	return true
}

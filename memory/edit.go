package memory

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a head edit refuses. The file is then as it was.
var (
	// ErrNUL is a value that holds a NUL, which no HTML file can carry.
	ErrNUL = errors.New("the value holds a NUL character")
	// ErrNotUTF8 is a value that is not UTF-8 and so would not read back.
	ErrNotUTF8 = errors.New("the value is not UTF-8")
	// ErrNoHead is a file with nothing that makes a head.
	ErrNoHead = errors.New("the file has no head to write to")
	// ErrIneffective is an edit that would not read back as asked, or would
	// change more of the head than asked.
	ErrIneffective = errors.New("the head cannot be edited safely")
)

// SetMeta replaces the first meta of that name (with its prefix) or inserts it
// at its place. It returns src itself when nothing changes, which is so for a
// name the format does not know; the other edits do likewise. The article's
// bytes, the file's line ending and its BOM are kept by all of them, and a
// second run changes nothing.
func SetMeta(src []byte, name, value string) ([]byte, error) {
	e, err := edit(src, value)
	if err != nil {
		return nil, err
	}
	rank, known := metaRank(name)
	i := slices.IndexFunc(e.tags, func(t headTag) bool { return !t.link && t.key == name })
	switch {
	case !known, i >= 0 && e.tags[i].value == value:
		return src, nil
	case i >= 0:
		return e.replace(i, value)
	}
	return e.insertRanked(rank, headTag{key: name, value: value})
}

// AddMeta appends a meta after the last of its name, or at its place when there
// is none, unless the file has that name with that value.
func AddMeta(src []byte, name, value string) ([]byte, error) {
	e, err := edit(src, value)
	if err != nil {
		return nil, err
	}
	rank, known := metaRank(name)
	tag := headTag{key: name, value: value}
	if !known || e.has(tag) {
		return src, nil
	}
	if last := e.lastTag(func(t headTag) bool { return !t.link && t.key == name }); last >= 0 {
		return e.insertAfter(last, tag)
	}
	return e.insertRanked(rank, tag)
}

// RemoveMeta removes all metas of a name that starts with "memhtml-", known or
// not.
func RemoveMeta(src []byte, name string) ([]byte, error) {
	e, _ := edit(src, "")
	return e.remove(func(t headTag) bool { return !t.link && t.key == name })
}

// RemoveMetaValue removes the metas of a name that have this value.
func RemoveMetaValue(src []byte, name, value string) ([]byte, error) {
	e, _ := edit(src, "")
	return e.remove(func(t headTag) bool { return !t.link && t.key == name && t.value == value })
}

// AddLink appends a link after the last memhtml link, without one after the last
// memhtml meta or at the end of the head, unless the file has that rel with that
// href. rel is spelled with '_'.
func AddLink(src []byte, rel, href string) ([]byte, error) {
	e, err := edit(src, href)
	if err != nil {
		return nil, err
	}
	tag := linkTag(rel, href)
	if !knownRel(rel) || e.has(tag) {
		return src, nil
	}
	for _, link := range []bool{true, false} {
		if last := e.lastTag(func(t headTag) bool { return t.link == link }); last >= 0 {
			return e.insertAfter(last, tag)
		}
	}
	return e.insertEnd(tag)
}

// RemoveLink removes the links of a rel that have this href, all of that rel
// when href is empty.
func RemoveLink(src []byte, rel, href string) ([]byte, error) {
	e, _ := edit(src, "")
	return e.remove(func(t headTag) bool {
		return t.link && t.rel() == rel && (href == "" || t.value == href)
	})
}

// headEdit is one edit in the making: the file and what its head holds.
type headEdit struct {
	head
	src []byte
}

func edit(src []byte, value string) (headEdit, error) {
	if err := checkValue(value); err != nil {
		return headEdit{}, err
	}
	return headEdit{scanHead(src), src}, nil
}

// checkValue refuses a text that HTML cannot carry.
func checkValue(s string) error {
	switch {
	case strings.IndexByte(s, 0) >= 0:
		return ErrNUL
	case !utf8.ValidString(s):
		return ErrNotUTF8
	}
	return nil
}

// linkTag is a link as the format writes it; rel is spelled with '_'.
func linkTag(rel, href string) headTag {
	return headTag{link: true, key: metaPrefix + strings.ReplaceAll(rel, "_", "-"), value: href}
}

// rel is the relation of a link as the format spells it.
func (t headTag) rel() string {
	return strings.ReplaceAll(strings.TrimPrefix(t.key, metaPrefix), "-", "_")
}

// same reports whether two tags say the same, however they are written.
func (t headTag) same(u headTag) bool {
	if t.link != u.link || t.value != u.value {
		return false
	}
	return t.key == u.key || t.link && t.rel() == u.rel()
}

// String is the tag as the format writes it.
func (t headTag) String() string {
	if t.link {
		return `<link rel="` + t.key + `" href="` + escapeAttr(t.value) + `">`
	}
	return `<meta name="` + t.key + `" content="` + escapeAttr(t.value) + `">`
}

func (e headEdit) has(tag headTag) bool { return slices.ContainsFunc(e.tags, tag.same) }

// lastTag is the index of the last tag that match accepts, -1 without one.
func (e headEdit) lastTag(match func(headTag) bool) int {
	for i := len(e.tags) - 1; i >= 0; i-- {
		if match(e.tags[i]) {
			return i
		}
	}
	return -1
}

// insertRanked puts a meta before the first that ranks behind it, else after the
// last meta, else at the end of the head.
func (e headEdit) insertRanked(rank int, tag headTag) ([]byte, error) {
	for i, t := range e.tags {
		if r, _ := metaRank(t.key); !t.link && r > rank {
			return e.splice(i, tag, before(e.src, e.start, t.span.Start))
		}
	}
	if last := e.lastTag(func(t headTag) bool { return !t.link }); last >= 0 {
		return e.insertAfter(last, tag)
	}
	return e.insertEnd(tag)
}

func (e headEdit) insertAfter(i int, tag headTag) ([]byte, error) {
	return e.splice(i+1, tag, e.after(e.tags[i].span.End))
}

// insertEnd puts a tag before </head>, or where none is written after the last
// element of the head.
func (e headEdit) insertEnd(tag headTag) ([]byte, error) {
	switch {
	case e.close >= 0:
		at := before(e.src, e.start, e.close)
		i := 0
		for i < len(e.tags) && e.tags[i].span.Start < at.at {
			i++
		}
		return e.splice(i, tag, at)
	case e.head.last >= 0:
		return e.splice(len(e.tags), tag, e.after(e.head.last))
	}
	return nil, ErrNoHead
}

package memory

import (
	"bytes"
	"slices"
	"strings"
)

// place is where a tag goes in: a line of its own before the byte at, or in
// front of a line that ends the file, or between other tags of a line.
type place struct {
	at    int
	shape lineShape
}

type lineShape int

const (
	inLine lineShape = iota
	ownLine
	newLastLine
)

// before is the place in front of the tag that starts at i: the line above when
// the tag is the first of its line.
func before(src []byte, start, i int) place {
	if line := lineStart(src, start, i); line >= 0 {
		return place{line, ownLine}
	}
	return place{i, inLine}
}

// after is the place behind the tag that ends at i: the line below when only
// white space and whole comments follow it on its line.
func (e headEdit) after(i int) place {
	end := skipBlanks(e.src, i)
	for e.comments[end] > 0 && !bytes.ContainsAny(e.src[end:e.comments[end]], "\r\n") {
		end = skipBlanks(e.src, e.comments[end])
	}
	switch next := skipNewline(e.src, end); {
	case next > end:
		return place{next, ownLine}
	case skipBlanks(e.src, i) == len(e.src):
		return place{len(e.src), newLastLine}
	}
	return place{i, inLine}
}

// splice inserts tag as the ith of the head and checks that the head then reads
// as it did with that tag added.
func (e headEdit) splice(i int, tag headTag, at place) ([]byte, error) {
	text := tag.String()
	switch at.shape {
	case ownLine:
		text += lineEnding(e.src)
	case newLastLine:
		text = lineEnding(e.src) + text
	}
	out := slices.Concat(e.src[:at.at], []byte(text), e.src[at.at:])
	return e.checked(out, slices.Insert(slices.Clone(e.tags), i, tag))
}

// replace writes the ith tag anew, with another value.
func (e headEdit) replace(i int, value string) ([]byte, error) {
	want := slices.Clone(e.tags)
	want[i].value = value
	span := e.tags[i].span
	return e.checked(slices.Concat(e.src[:span.Start], []byte(want[i].String()), e.src[span.End:]), want)
}

// remove cuts the tags that match: with their line when nothing else is on it.
func (e headEdit) remove(match func(headTag) bool) ([]byte, error) {
	var cuts []Span
	for _, t := range e.tags {
		if match(t) {
			cuts = append(cuts, t.span)
		}
	}
	if len(cuts) == 0 {
		return e.src, nil
	}
	out, from := make([]byte, 0, len(e.src)), 0
	for _, cut := range wholeLines(e.src, e.start, cuts) {
		out = append(out, e.src[from:cut.Start]...)
		from = cut.End
	}
	want := slices.DeleteFunc(slices.Clone(e.tags), match)
	return e.checked(append(out, e.src[from:]...), want)
}

// wholeLines widens each run of cuts that leaves nothing on its lines to those
// lines.
func wholeLines(src []byte, start int, cuts []Span) (wide []Span) {
	for len(cuts) > 0 {
		n, end := 1, skipBlanks(src, cuts[0].End)
		for n < len(cuts) && cuts[n].Start == end {
			end = skipBlanks(src, cuts[n].End)
			n++
		}
		line, next := lineStart(src, start, cuts[0].Start), skipNewline(src, end)
		if line >= 0 && (next > end || end == len(src)) {
			wide = append(wide, Span{line, next})
		} else {
			wide = append(wide, cuts[:n]...)
		}
		cuts = cuts[n:]
	}
	return wide
}

// checked returns out when its head holds exactly the tags that were wanted and
// its body begins where it did.
func (e headEdit) checked(out []byte, want []headTag) ([]byte, error) {
	got := scanHead(out)
	same := func(a, b headTag) bool { return a.link == b.link && a.key == b.key && a.value == b.value }
	if !slices.EqualFunc(got.tags, want, same) || len(out)-got.end != len(e.src)-e.end {
		return nil, ErrIneffective
	}
	return out, nil
}

// lineStart is the start of the line that i is on, -1 when something other than
// blanks stands between the two.
func lineStart(src []byte, start, i int) int {
	for i > start && isBlank(src[i-1]) {
		i--
	}
	if i > start && src[i-1] != '\n' && src[i-1] != '\r' {
		return -1
	}
	return i
}

func skipBlanks(src []byte, i int) int {
	for i < len(src) && isBlank(src[i]) {
		i++
	}
	return i
}

// skipNewline is the first byte behind the line ending at i, i without one.
func skipNewline(src []byte, i int) int {
	switch {
	case bytes.HasPrefix(src[i:], []byte("\r\n")):
		return i + 2
	case i < len(src) && (src[i] == '\n' || src[i] == '\r'):
		return i + 1
	}
	return i
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\f' }

// lineEnding is the line ending most lines of src have, LF when it has none.
func lineEnding(src []byte) string {
	crlf := bytes.Count(src, []byte("\r\n"))
	lf := bytes.Count(src, []byte("\n")) - crlf
	cr := bytes.Count(src, []byte("\r")) - crlf
	switch {
	case crlf > lf && crlf >= cr:
		return "\r\n"
	case cr > lf:
		return "\r"
	}
	return "\n"
}

var attrEscaper = strings.NewReplacer(
	"&", "&amp;", `"`, "&quot;", "\u00A0", "&nbsp;", "\r", "&#13;", "\n", "&#10;")

// escapeAttr is an attribute value as it stands between double quotes, always
// on one line.
func escapeAttr(value string) string { return attrEscaper.Replace(value) }

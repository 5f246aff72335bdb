package memory

import "bytes"

// The lines that git leaves in a file it could not merge. The middle one
// stands alone on its line.
var (
	markerOurs   = []byte("<<<<<<< ")
	markerMiddle = []byte("=======")
	markerTheirs = []byte(">>>>>>> ")
)

// MergeMarkers returns the line of the first conflict marker, without its line
// end, of a text in which lines begin with git's three markers in their order.
func MergeMarkers(src []byte) (Span, bool) {
	first, ok := markerLine(src, 0, markerOurs)
	if !ok {
		return Span{}, false
	}
	middle := first
	for {
		if middle, ok = markerLine(src, middle.End, markerMiddle); !ok {
			return Span{}, false
		}
		if middle.End-middle.Start == len(markerMiddle) {
			break
		}
	}
	if _, ok = markerLine(src, middle.End, markerTheirs); !ok {
		return Span{}, false
	}
	return first, true
}

// markerLine finds the first line at or after from that begins with a marker.
func markerLine(src []byte, from int, marker []byte) (Span, bool) {
	for at := from; at < len(src); {
		i := bytes.Index(src[at:], marker)
		if i < 0 {
			break
		}
		start := at + i
		if start == 0 || src[start-1] == '\n' {
			return Span{start, lineEnd(src, start)}, true
		}
		at = start + len(marker)
	}
	return Span{}, false
}

func lineEnd(src []byte, start int) int {
	if i := bytes.IndexAny(src[start:], "\r\n"); i >= 0 {
		return start + i
	}
	return len(src)
}

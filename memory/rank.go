package memory

import (
	"slices"
	"strings"
)

// metaPrefix starts the name of every meta, and the rel of every link, that the
// format owns.
const metaPrefix = "memhtml-"

// writeOrder are the metas the format knows, without their prefix, in the order
// in which they are written (format.md §2).
var writeOrder = []string{
	"type", "status", "created", "updated", "confidence", "importance",
	"content-hash", "author", "session", "prompt", "turn", "valid-from",
	"valid-until", "reprieves", "archived", "superseded-by", "needs-revision",
	"task-status", "due", "entity", "tag", "alias",
}

// writeRels are the relations a link may have.
var writeRels = []string{
	"supersedes", "contradicts", "caused_by", "leads_to", "part_of",
	"relates_to", "example_of", "supports", "laterally_related",
	"about_person", "authored_by", "from_session", "blocks", "subtask_of",
}

// knownRel reports whether rel, spelled with '_', is a relation of the format.
func knownRel(rel string) bool { return slices.Contains(writeRels, rel) }

// metaRank is the place of a meta, named with its prefix, in writeOrder. A name
// the format does not know ranks behind all others.
func metaRank(name string) (rank int, known bool) {
	short, ok := strings.CutPrefix(name, metaPrefix)
	if i := slices.Index(writeOrder, short); ok && i >= 0 {
		return i, true
	}
	return len(writeOrder), false
}

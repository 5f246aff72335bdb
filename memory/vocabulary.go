package memory

import (
	"slices"
	"strings"
)

// metaPrefix starts the name of every meta, and the rel of every link, that the
// format owns.
const metaPrefix = "memhtml-"

// MetaOrder are the metas the format knows, without their prefix, in the order
// in which they are written (format.md §2).
var MetaOrder = []string{
	"type", "status", "created", "updated", "confidence", "importance",
	"content-hash", "author", "session", "prompt", "turn", "valid-from",
	"valid-until", "reprieves", "archived", "superseded-by", "needs-revision",
	"task-status", "due", "entity", "tag", "alias",
}

// MemoryRels, PersonRels, SessionRels and TaskRels are the relations a link may
// have, by what they point at.
var (
	MemoryRels = []string{
		"supersedes", "contradicts", "caused_by", "leads_to", "part_of",
		"relates_to", "example_of", "supports", "laterally_related",
	}
	PersonRels  = []string{"about_person", "authored_by"}
	SessionRels = []string{"from_session"}
	TaskRels    = []string{"blocks", "subtask_of"}
)

// knownRel reports whether rel, spelled with '_', is a relation of the format.
func knownRel(rel string) bool {
	for _, rels := range [][]string{MemoryRels, PersonRels, SessionRels, TaskRels} {
		if slices.Contains(rels, rel) {
			return true
		}
	}
	return false
}

// metaRank is the place of a meta, named with its prefix, in [MetaOrder]. A name
// the format does not know ranks behind all others.
func metaRank(name string) (rank int, known bool) {
	short, ok := strings.CutPrefix(name, metaPrefix)
	if i := slices.Index(MetaOrder, short); ok && i >= 0 {
		return i, true
	}
	return len(MetaOrder), false
}

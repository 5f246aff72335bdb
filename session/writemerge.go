package session

import (
	"strconv"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// mergeEdits are the edits that bring what an incoming head says into one that
// is there: of scalars the incoming wins, entities, tags and aliases are united
// (D8). Type, title, status and the stamps of its own life stay: they are what
// the memory is, as its path and its text are. So do session, prompt and turn:
// they are where it comes from (M110), and who says it again did not write it.
func mergeEdits(there, incoming memory.Metas) []edit {
	var edits []edit
	for _, scalar := range []struct{ name, there, incoming string }{
		{"memhtml-confidence", confidence(there), confidence(incoming)},
		{"memhtml-importance", importance(there), importance(incoming)},
		{"memhtml-author", there.Author, incoming.Author},
		{"memhtml-valid-from", there.ValidFrom, incoming.ValidFrom},
		{"memhtml-valid-until", there.ValidUntil, incoming.ValidUntil},
		{"memhtml-due", there.Due, incoming.Due},
	} {
		if scalar.incoming != "" && scalar.incoming != scalar.there {
			edits = append(edits, setMeta(scalar.name, scalar.incoming))
		}
	}
	return append(edits, uniteMetas(incoming)...)
}

// uniteMetas are the edits that add the entities, tags and aliases of a head.
func uniteMetas(incoming memory.Metas) []edit {
	edits := addMetas("memhtml-entity", incoming.Entities)
	edits = append(edits, addMetas("memhtml-tag", incoming.Tags)...)
	return append(edits, addMetas("memhtml-alias", incoming.Aliases)...)
}

func addMetas(name string, values []string) []edit {
	edits := make([]edit, len(values))
	for i, value := range values {
		edits[i] = func(source []byte) ([]byte, error) { return memory.AddMeta(source, name, value) }
	}
	return edits
}

func removeMetas(name string, values []string) []edit {
	edits := make([]edit, len(values))
	for i, value := range values {
		edits[i] = func(source []byte) ([]byte, error) { return memory.RemoveMetaValue(source, name, value) }
	}
	return edits
}

// confidence is the value as the format writes it, "" without one.
func confidence(m memory.Metas) string {
	if m.Confidence == nil {
		return ""
	}
	return strconv.FormatFloat(*m.Confidence, 'f', 2, 64)
}

func importance(m memory.Metas) string {
	if m.Importance == nil {
		return ""
	}
	return strconv.Itoa(*m.Importance)
}

package memory

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// RequiredMetas are the metas that every file has.
var RequiredMetas = []string{"memhtml-type", "memhtml-status", "memhtml-created", "memhtml-updated"}

// repeatableFrom is from where on in writeOrder a meta may occur more than once.
var repeatableFrom = slices.Index(writeOrder, "entity")

// The words that the metas of one kind may have.
var (
	memoryTypes = []string{
		"episodic", "semantic", "procedural", "agent_insight", "user_preference",
		"error_pattern", "verdict", "precedent", "arc", "task",
	}
	statuses     = []string{"active", "archived"}
	taskStatuses = []string{"todo", "doing", "blocked", "done"}
)

// Types are the types that a memory can have, in the order of the format.
func Types() []string { return slices.Clone(memoryTypes) }

// TaskStatuses are the words for the progress of a task, in its order.
func TaskStatuses() []string { return slices.Clone(taskStatuses) }

// relOf returns the relation that a rel attribute names, or "".
func relOf(attribute string) string {
	name, ours := strings.CutPrefix(attribute, metaPrefix)
	if name = strings.ReplaceAll(name, "-", "_"); ours && knownRel(name) {
		return name
	}
	return ""
}

// trait is what the format says about an element name.
type trait uint8

const (
	known   trait = 1 << iota // in the vocabulary
	inline                    // contributes no space at its edges
	figured                   // in the vocabulary under a <figure> only
	banned                    // refuses the file
)

// traits is keyed by the element's name as the tree has it; what has none of the
// names that HTML knows has the zero atom.
var traits = traitTable(map[trait]string{
	known: "html head body title meta link article dl dt dd figure figcaption details summary aside section " +
		"pre table caption thead tbody tr th td p ul ol li address",
	known | inline:   "mark time data cite q dfn abbr code kbd samp var a strong em",
	figured:          "div",
	figured | inline: "span",
	banned:           "script style",
})

func traitTable(rows map[trait]string) map[atom.Atom]trait {
	table := map[atom.Atom]trait{}
	for t, names := range rows {
		for name := range strings.FieldsSeq(names) {
			table[atom.Lookup([]byte(name))] = t
		}
	}
	return table
}

// isLanguage reports whether a data-lang is a language token.
func isLanguage(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("_+#.-", rune(c))) {
			return false
		}
	}
	return s != ""
}

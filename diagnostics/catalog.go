package diagnostics

import (
	"embed"
	"slices"
	"sync"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// Entry is what the catalogue says of one code. The prose fields are Markdown,
// Meaning is plain text.
type Entry struct {
	Code Code
	// Severity is the default; the person may override it or turn the code off.
	Severity Severity
	// Meaning is one line without a final period.
	Meaning string
	// What says when the finding appears, Why what goes wrong otherwise, Fix
	// what to do, Wrong when the finding can be ignored.
	What, Why, Fix, Wrong string
	// Since is the version that introduced the code. A code is never reused.
	Since string
	// Example is a txtar of a small corpus in which exactly this code is found,
	// on the last file. Its comment says what the corpus shows.
	Example string

	// say renders the message of a format code; the other codes have their
	// own facts and no say.
	say func(memory.Problem) string
}

//go:embed examples/*.txtar
var examples embed.FS

// catalog is in the order of the pages: what files have to do with each other,
// what is wrong with one file in the order of format.md §3, its links and its
// life, the rest.
var catalog = []Entry{
	duplicateEntry, duplicateNormalizedEntry, frameKeyConflictEntry, frameKeyRestatementEntry,
	nearDuplicateEntry, nearDivergentEntry, moreRelationsEntry,
	titleCountEntry, titleEmptyEntry,
	metaMissingEntry, metaUnknownEntry, metaDuplicateEntry,
	articleCountEntry, markCountEntry, markFoldedEntry, markPositionEntry, markEmptyEntry,
	timeDatetimeEntry, forbiddenElementEntry, forbiddenAttributeEntry, eventHandlerEntry,
	linkRelEntry, linkHrefEntry,
	typeUnknownEntry, statusUnknownEntry, taskStatusRequiredEntry, taskStatusUnknownEntry, taskStatusForbiddenEntry,
	dueDatetimeEntry, metaDatetimeEntry,
	elementUnknownEntry, elementScopeEntry, langTokenEntry,
	tooDeepEntry, optionalMetaDroppedEntry, contentHashStaleEntry,
	danglingLinkEntry, selfLinkEntry, edgeClassEntry,
	archiveStatusEntry, supersededActiveEntry, supersedeAsymmetricEntry, supersedeCycleEntry,
	validityInvertedEntry, validityExpiredEntry, overdueTaskEntry, staleBlockerEntry,
	outsideBucketsEntry, mergeMarkersEntry, notIndexedEntry,
}

// withExamples is the catalog with the example of each entry, and byCode answers
// Lookup.
var withExamples = sync.OnceValue(func() []Entry {
	entries := slices.Clone(catalog)
	for i, e := range entries {
		// A missing file is an empty example, which a test refuses.
		text, _ := examples.ReadFile("examples/" + string(e.Code) + ".txtar")
		entries[i].Example = string(text)
	}
	return entries
})

var byCode = sync.OnceValue(func() map[Code]Entry {
	entries := make(map[Code]Entry, len(catalog))
	for _, e := range withExamples() {
		entries[e.Code] = e
	}
	return entries
})

// Catalog returns every code there is, in the order of the pages. The slice is
// the caller's.
func Catalog() []Entry { return slices.Clone(withExamples()) }

// Lookup returns the entry of a code.
func Lookup(c Code) (Entry, bool) {
	e, ok := byCode()[c]
	return e, ok
}

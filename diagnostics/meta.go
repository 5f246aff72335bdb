package diagnostics

import (
	"fmt"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

var metaMissingEntry = Entry{
	Code:     MetaMissing,
	Severity: Error,
	Meaning:  "a required meta is missing from the head",
	What:     "One of `memhtml-type`, `memhtml-status`, `memhtml-created` and `memhtml-updated` is missing from the head.",
	Why:      "Without them memhtml cannot tell what kind of memory this is or how old it is, and refuses the file.",
	Fix:      "Take the action that inserts it: status becomes active, created and updated become the present time. The type is yours to choose.",
	Wrong:    "When the file is not meant to be a memory: move it out of projects, areas, resources and archive.",
	Since:    "0.1.0",
	say:      func(p memory.Problem) string { return "The head has no " + Shown(p.Subject) + "." },
}

var metaUnknownEntry = Entry{
	Code:     MetaUnknown,
	Severity: Error,
	Meaning:  "a memhtml- meta is not one the format knows",
	What:     "A meta whose name begins with `memhtml-` is not part of the format. Names are all lower case.",
	Why:      "It is most often a misspelling, and the value would be lost without a word. memhtml refuses the file.",
	Fix:      "Correct the name, or take the action that removes the meta. A name without the prefix is free for your own use.",
	Wrong:    "When a later version of memhtml has added the meta: then this server is older than your memories.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return Shown(p.Subject) + " is not a meta of the memory format."
	},
}

var metaDuplicateEntry = Entry{
	Code:     MetaDuplicate,
	Severity: Error,
	Meaning:  "a meta that stands once is given more than once",
	What:     "A meta that may stand once stands twice or more. `memhtml-entity`, `memhtml-tag` and `memhtml-alias` may repeat.",
	Why:      "Readers would disagree on which of the two holds. memhtml refuses the file.",
	Fix:      "Keep the one that is true and remove the others.",
	Wrong:    "Never. After a merge it tells that both sides changed the head.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return fmt.Sprintf("%s is given %d times; only entity, tag and alias may repeat.", Shown(p.Subject), p.Count)
	},
}

var optionalMetaDroppedEntry = Entry{
	Code:     OptionalMetaDropped,
	Severity: Warning,
	Meaning:  "an optional meta has a value that is ignored",
	What: "The value of `memhtml-confidence` is not a number from 0 to 1, that of `memhtml-importance` not a whole number from 1 to 10, " +
		"or that of `memhtml-reprieves` not a whole number from 0.",
	Why:   "memhtml reads the file as if the meta were absent, and says nothing.",
	Fix:   "Correct the value or remove the meta.",
	Wrong: "When the meta is empty on purpose. It means the same as none, and removing it says so.",
	Since: "0.1.0",
	say: func(p memory.Problem) string {
		text := Shown(p.Subject) + " is ignored: "
		if p.Value == "" {
			text += "it is empty"
		} else {
			text += quote(p.Value) + " is not a value it can have"
		}
		if r, ok := metaRanges[p.Subject]; ok {
			return text + ". It is " + r + "."
		}
		return text + "."
	},
}

// metaRanges says what each optional meta with a number may hold.
var metaRanges = map[string]string{
	"memhtml-confidence": "a number from 0 to 1",
	"memhtml-importance": "a whole number from 1 to 10",
	"memhtml-reprieves":  "a whole number from 0",
}

var contentHashStaleEntry = Entry{
	Code:     ContentHashStale,
	Severity: Information,
	Meaning:  "memhtml-content-hash is not the hash of the article",
	What:     "The head carries a content hash, and the article has another. It happens whenever an article is edited by hand.",
	Why:      "Nothing relies on the value: memhtml computes the hash itself. A stale one misleads whoever compares files by it.",
	Fix:      "Take “Refresh the content hash”, or remove the meta.",
	Wrong:    "When the article was changed by accident: then the hash is right and the article is wrong. Look at the change before you refresh.",
	Since:    "0.1.0",
}

// contentHash compares the advisory hash of the head with that of the article.
// A document without exactly one article has no hash worth comparing.
func (r *report) contentHash() {
	d := r.Document
	if d.Metas.ContentHash == "" || !r.wants(ContentHashStale) || unhashable(d) {
		return
	}
	if h, ok := memory.ParseHash(d.Metas.ContentHash); ok && h == d.ContentHash {
		return
	}
	const name = "memhtml-content-hash"
	span, _ := d.Spans().Meta(name)
	r.add(Finding{
		Code:    ContentHashStale,
		Span:    span,
		Message: name + " is not the hash of this article.",
		Data:    Data{Subject: name, Value: d.Metas.ContentHash},
	})
}

func unhashable(d *memory.Document) bool {
	return slices.ContainsFunc(d.Violations, func(p memory.Problem) bool {
		return p.Code == string(ArticleCount) || p.Code == string(TooDeep)
	})
}

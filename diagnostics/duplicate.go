package diagnostics

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

var duplicateEntry = Entry{
	Code:     Duplicate,
	Severity: Error,
	Meaning:  "another memory has exactly the same article",
	What: "The article of this file has the same content hash as that of an older memory. " +
		"Head, title, path and indentation do not count; every word of the article does.\n\n" +
		"The finding is on the later of the two. An unsaved buffer is later than any saved file, an untracked file later than a tracked one; " +
		"then `memhtml-created` decides, then the path. All copies point at the first holder.",
	Why: "memhtml keeps one active memory for each article. With two, its index refuses to update, " +
		"and every write after that fails without naming a file.",
	Fix: "Take “Archive this copy, keep …”. If this file is the better one, for example because of its head, " +
		"let it supersede the other. If both shall stay, change the text of one so that it says what it alone is for.",
	Wrong: "Two places may state one fact on purpose. memhtml still refuses the pair, so one of them has to link to the other instead.\n\n" +
		"Tasks and archived files never take part: two open tasks with one text are two things to do.",
	Since: "0.1.0",
}

var duplicateNormalizedEntry = Entry{
	Code:     DuplicateNormalized,
	Severity: Warning,
	Meaning:  "another memory has the same article, but for differences nobody can see",
	What: "The articles of two memories are equal once letters and accents are composed alike and every kind of space is a plain one. " +
		"Articles with a `<pre>` are left out, since spacing is content there.",
	Why: "Such a copy usually comes from pasting: a no-break space, or an accented letter typed as two characters. " +
		"memhtml takes the two for different memories and keeps both for good.",
	Fix:   "Archive one of the two, or let one supersede the other.",
	Wrong: "When the kind of space is what the memory is about. Put the sample into a `<pre>`.",
	Since: "0.1.0",
}

// sayDuplicate is the message on the reporter. More holders than the related
// places show are counted.
func sayDuplicate(first *index.File, holders int) string {
	since := ""
	if len(first.Created) >= len("2006-01-02") {
		since = " (since " + Shown(first.Created[:len("2006-01-02")]) + ")"
	}
	text := fmt.Sprintf("Same text as %s%s. memhtml cannot index both.", Shown(first.Path), since)
	if holders > relatedLimit+1 {
		text += fmt.Sprintf(" %d files hold it.", holders)
	}
	return text
}

// sayDuplicateNormalized says which of the two has the unusual characters when
// the text of the reporter tells it; d may be nil.
func sayDuplicateNormalized(f, first *index.File, d *memory.Document) string {
	text := "Same text as " + Shown(first.Path) + ", but for "
	spaces, accents := false, false
	if d != nil && d.NormalHash == f.NormalHash {
		spaces, accents = strings.ContainsFunc(d.Canonical, unusualSpace), !norm.NFC.IsNormalString(d.Canonical)
	}
	switch {
	case spaces && accents:
		return text + "unusual spaces and accented letters made of two characters in this one."
	case spaces:
		return text + "unusual spaces in this one, such as no-break spaces."
	case accents:
		return text + "accented letters made of two characters in this one."
	}
	return text + "the kind of spaces or how accented letters are composed."
}

func unusualSpace(r rune) bool { return r != ' ' && unicode.IsSpace(r) }

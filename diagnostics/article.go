package diagnostics

import "github.com/memhtml-ls/memhtml-ls/memory"

var articleCountEntry = Entry{
	Code:     ArticleCount,
	Severity: Error,
	Meaning:  "the document has no <article>, or several",
	What:     "The document has no `<article>` element, or several. Those in comments and templates do not count.",
	Why:      "The article is the memory. With none there is nothing to remember, with two nobody can tell which is meant.",
	Fix:      "Put the text into one `<article>`. Two facts are two files.",
	Wrong:    "Never, though the cause may be elsewhere: an unclosed element before the article can swallow it.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return plural(p.Count, "<article> element") + ": a memory has exactly one."
	},
}

var markCountEntry = Entry{
	Code:     MarkCount,
	Severity: Error,
	Meaning:  "the article has no <mark>, or several",
	What:     "The article has no `<mark>` element, or several.",
	Why:      "The marked text is the claim: the one sentence that is shown, compared and searched. There is one claim to a memory.",
	Fix:      "Mark the sentence that states the fact. For emphasis use `<strong>` or `<em>`.",
	Wrong:    "Never.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return plural(p.Count, "<mark> element") + " in the article: exactly one holds the claim."
	},
}

var markFoldedEntry = Entry{
	Code:     MarkFolded,
	Severity: Error,
	Meaning:  "the claim is inside an <aside> or <details>",
	What:     "The `<mark>` lies in an element that stands apart from the text or can be folded away.",
	Why:      "The claim is what everybody has to see first.",
	Fix:      "Move the marked sentence to the first paragraph of the article.",
	Wrong:    "Never.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return "The <mark> is inside <" + Shown(p.Subject) + ">, where the claim is easily missed."
	},
}

var markPositionEntry = Entry{
	Code:     MarkPosition,
	Severity: Error,
	Meaning:  "the claim is not in the first paragraph or list item",
	What:     "The `<mark>` is not inside the first `<p>` or `<li>` of the article, or the article has neither.",
	Why:      "A memory leads with its claim, so that a reader who stops after the first lines has read it.",
	Fix:      "Move the marked sentence to the front, or the text before it behind it.",
	Wrong:    "Never, though a stray closing tag can end the first paragraph before the mark: look for a block element inside a `<p>`.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		if p.Subject == "" {
			return "The <mark> is in no paragraph: the claim stands in the first <p> or <li> of the article."
		}
		return "The <mark> is not in the first <" + Shown(p.Subject) + "> of the article, where the claim stands."
	},
}

var markEmptyEntry = Entry{
	Code:     MarkEmpty,
	Severity: Error,
	Meaning:  "the claim has no text",
	What:     "The `<mark>` holds nothing, only spaces, or only `<code>` and `<pre>`, which are not part of the claim.",
	Why:      "A memory without a claim cannot be shown, compared or found.",
	Fix:      "Write the fact as a sentence inside the `<mark>`.",
	Wrong:    "Never. A claim about a command can name it in `<code>` inside a sentence.",
	Since:    "0.1.0",
	say: func(memory.Problem) string {
		return "The <mark> has no text: it holds the claim, and <code> and <pre> do not count."
	},
}

var tooDeepEntry = Entry{
	Code:     TooDeep,
	Severity: Error,
	Meaning:  "elements are nested too deeply to be read",
	What:     "More than 512 elements are open at the same time. Nothing else about the file is checked.",
	Why:      "No person writes such a file; a program that forgets to close its elements does. Far deeper nesting breaks memhtml's own rebuild.",
	Fix:      "Close the elements. The first one that is opened again and again is the place to look.",
	Wrong:    "Never.",
	Since:    "0.1.0",
	say: func(memory.Problem) string {
		return "More than 512 elements are open at once: the file is too deeply nested to be read."
	},
}

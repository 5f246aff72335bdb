package diagnostics

import "github.com/memhtml-ls/memhtml-ls/memory"

var forbiddenElementEntry = Entry{
	Code:     ForbiddenElement,
	Severity: Error,
	Meaning:  "the document has a <script> or <style>",
	What:     "The document has a `<script>` or `<style>` element, anywhere.",
	Why:      "A memory is text that any program may read and any person may open. Code in it would run in a browser; a style could hide the claim.",
	Fix:      "Remove the element. A piece of code to remember goes into `<pre><code>`, with `<` written as `&lt;`.",
	Wrong:    "When the memory is about such an element: write it as text in `<code>`.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return "<" + Shown(p.Subject) + "> is not allowed in a memory."
	},
}

var forbiddenAttributeEntry = Entry{
	Code:     ForbiddenAttribute,
	Severity: Error,
	Meaning:  "an element has a class or style",
	What:     "An element carries the attribute class or style.",
	Why:      "A memory says what things are, not how they look. Styling usually comes with text pasted from a web page.",
	Fix:      "Remove the attribute. If it carried a meaning, say it with an element such as `<strong>`, `<code>` or `<aside>`.",
	Wrong:    "Never.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return Shown(p.Subject) + " is not allowed" + on(p.Element) + ": a memory carries no styling."
	},
}

var eventHandlerEntry = Entry{
	Code:     EventHandler,
	Severity: Error,
	Meaning:  "an element has an on… attribute",
	What:     "An element carries an attribute whose name begins with “on” and goes on, such as onclick.",
	Why:      "Such attributes run code when the file is opened in a browser. The whole family is refused, so that none is forgotten.",
	Fix:      "Remove the attribute.",
	Wrong:    "When the attribute only happens to begin so, as “once” does. It is refused all the same; use a data- attribute.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		return Shown(p.Subject) + " is not allowed" + on(p.Element) + ": a memory runs no code."
	},
}

func on(element string) string {
	if element == "" {
		return ""
	}
	return " on <" + Shown(element) + ">"
}

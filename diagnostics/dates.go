package diagnostics

import (
	"regexp"
	"sync"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// dateForms ends every message about a date.
const dateForms = "write 2026-05-02 or 2026-05-02T08:30:00Z."

var timeDatetimeEntry = Entry{
	Code:     TimeDatetime,
	Severity: Error,
	Meaning:  "the datetime of a <time> is not a date the format knows",
	What: "A `<time>` element has no datetime, or one that is not a real calendar date of the form " +
		"YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ. Other forms that HTML allows are refused.",
	Why:   "Dates are compared as text. A date in another form, or of another time zone, would sort wrongly.",
	Fix:   "Write the date in one of the two forms, in UTC when it has a time of day.",
	Wrong: "When the text is no date, such as a duration: then it needs no `<time>` element.",
	Since: "0.1.0",
	say: func(p memory.Problem) string {
		if p.Value == "" {
			return "This <time> has no date in its datetime: " + dateForms
		}
		return quote(p.Value) + whyNoDate(p.Value)
	},
}

var metaDatetimeEntry = Entry{
	Code:     MetaDatetime,
	Severity: Error,
	Meaning:  "a date in the head is not one the format knows",
	What: "`memhtml-created`, `memhtml-updated`, `memhtml-valid-from`, `memhtml-valid-until` or `memhtml-archived` is not a real calendar date of the form " +
		"YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ.",
	Why:   "Dates are compared as text. A date in another form, or of another time zone, would sort wrongly.",
	Fix:   "Write the date in one of the two forms, in UTC when it has a time of day.",
	Wrong: "Never. Milliseconds and time zones are refused even where they are true.",
	Since: "0.1.0",
	say:   sayMetaDate,
}

var dueDatetimeEntry = Entry{
	Code:     DueDatetime,
	Severity: Error,
	Meaning:  "memhtml-due is not a date the format knows",
	What:     "`memhtml-due` is not a real calendar date of the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ. It is checked on every type of memory.",
	Why:      "Tasks are ordered by it, as text.",
	Fix:      "Write the date in one of the two forms; “tomorrow” has to become a day.",
	Wrong:    "Never.",
	Since:    "0.1.0",
	say:      sayMetaDate,
}

func sayMetaDate(p memory.Problem) string {
	if p.Value == "" {
		return Shown(p.Subject) + " is empty: " + dateForms
	}
	return Shown(p.Subject) + ": " + quote(p.Value) + whyNoDate(p.Value)
}

// dateShape is the written form of a date, whether or not there is such a day.
var dateShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$`) })

func whyNoDate(value string) string {
	if dateShape().MatchString(value) {
		return " has the form of a date, but there is no such day or time."
	}
	return " is not a date the format knows: " + dateForms
}

package diagnostics

import "github.com/memhtml-ls/memhtml-ls/memory"

// Code is the public name of a diagnostic; see [Catalog].
type Code string

// Severity orders findings from worst to mildest. Its values are those of the
// Language Server Protocol.
type Severity int

// The four severities.
const (
	Error       Severity = 1
	Warning     Severity = 2
	Information Severity = 3
	Hint        Severity = 4
)

// String returns the word used in JSON and on the command line.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Information:
		return "information"
	default:
		return "hint"
	}
}

// Finding is one thing worth telling about one file. It is structured until
// the last step: Message is rendered from the same facts that Data carries.
type Finding struct {
	Path     string
	Code     Code
	Severity Severity
	Span     memory.Span
	Message  string
	Related  []Related
	Data     Data
}

// Related is another place that explains a finding: the other claim where it
// stands.
type Related struct {
	Path    string
	Span    memory.Span
	Message string
}

// Data are the facts that code actions and JSON consumers need, so that
// nothing is derived from a message again. Absent facts are zero.
type Data struct {
	// Other is the path of the file on the other side of a relation, and of the
	// file that a dangling link means.
	Other string `json:"other,omitempty"`
	// Key is the frame key; Value and OtherValue what each side holds.
	Key        string `json:"key,omitempty"`
	Value      string `json:"value,omitempty"`
	OtherValue string `json:"otherValue,omitempty"`
	// Subject is the element, attribute or meta that a finding is about, and the
	// relation of a link, whose href as written is Value. A supersession that only
	// one side tells of has here what the file lacks.
	Subject string `json:"subject,omitempty"`
	// Successor is the memory that holds in place of what a dangling link names,
	// when that was superseded.
	Successor string `json:"successor,omitempty"`
	// Target is the root-relative path a dangling link should name, when what it
	// names was archived. It is the linked path with an archive folder in front.
	Target string `json:"target,omitempty"`
	// Holders is how many files hold the same content, this one included,
	// when there are more than Related shows.
	Holders int `json:"holders,omitempty"`
	// Differs is the gravest way in which two near duplicates differ, absent when
	// they say the same; Here and There are the words and amounts of either side
	// that the other has not.
	Differs string `json:"differs,omitempty"`
	Here    string `json:"here,omitempty"`
	There   string `json:"there,omitempty"`
	// FoundBy is the embedder that found a near duplicate, and Similarity the
	// cosine of the claims by it.
	FoundBy    string  `json:"foundBy,omitempty"`
	Similarity float64 `json:"similarity,omitempty"`
	// Mirror marks the hint on the incumbent of a pair, which is shown for
	// orientation and not counted as a finding of its own.
	Mirror bool `json:"mirror,omitempty"`
}

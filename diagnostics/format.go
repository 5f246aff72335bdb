package diagnostics

import "github.com/memhtml-ls/memhtml-ls/memory"

// format reports what the file does against the format, with the words that
// the catalogue has for each code.
func (r *report) format() {
	d := r.Document
	for _, problems := range [][]memory.Problem{d.Violations, d.Warnings, d.Dropped} {
		for _, p := range problems {
			if !toldTwice(p) {
				r.problem(p)
			}
		}
	}
}

// toldTwice holds for the warning on an element that is forbidden: outside of
// the vocabulary it is as well, but nobody needs to hear it.
func toldTwice(p memory.Problem) bool {
	return Code(p.Code) == ElementUnknown && (p.Subject == "script" || p.Subject == "style")
}

func (r *report) problem(p memory.Problem) {
	if !r.wants(Code(p.Code)) {
		return
	}
	r.add(Finding{
		Code:    Code(p.Code),
		Span:    r.Document.Spans().Problem(p),
		Message: Words(p),
		Data:    Data{Subject: p.Subject, Value: p.Value},
	})
}

// Words renders a problem as a sentence. A code that the catalogue lacks is still
// told.
func Words(p memory.Problem) string {
	if say := byCode()[Code(p.Code)].say; say != nil {
		return say(p)
	}
	return p.Code + ": " + Shown(p.Subject)
}

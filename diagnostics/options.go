package diagnostics

// Off, as an override, turns a code off. It is not the severity of a finding.
const Off Severity = 0

// Options are a person's choices. The zero value is the default.
type Options struct {
	// Severities override the catalogue; [Off] turns a code off.
	Severities map[Code]Severity
	// Mirror "hint" puts a Hint on the incumbent of a pair as well; anything
	// else leaves the incumbent alone (D2).
	Mirror string
}

// MirrorHint is the value of Options.Mirror that publishes hints.
const MirrorHint = "hint"

// ParseSeverity reads the word of [Severity.String], or "off".
func ParseSeverity(word string) (Severity, bool) {
	if word == "off" {
		return Off, true
	}
	for s := Error; s <= Hint; s++ {
		if s.String() == word {
			return s, true
		}
	}
	return Off, false
}

// severity is what a finding of the code gets; false means not at all.
func (o Options) severity(c Code) (Severity, bool) {
	if s, ok := o.Severities[c]; ok {
		return s, s != Off
	}
	return byCode()[c].Severity, true
}

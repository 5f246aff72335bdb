package diagnostics

import (
	"fmt"

	"github.com/memhtml-ls/memhtml-ls/index"
)

// relatedLimit is the most other places shown with one finding.
const relatedLimit = 10

var moreRelationsEntry = Entry{
	Code:     MoreRelations,
	Severity: Information,
	Meaning:  "the file has more relations than are shown",
	What:     "The file takes part in more than 20 relations with other memories. The first 20 are told one by one, this line stands for the rest.",
	Why:      "Fifty findings in one place hide each other. It happens to a memory whose frame is so common that dozens of others share it, when hints on the earlier file are on.",
	Fix:      "Deal with the ones that are shown; the next ones take their place. Or make the claim more particular.",
	Wrong:    "When the many belong together on purpose: link them.",
	Since:    "0.1.0",
}

// relations reports the pairs of the file, at most pairLimit of them.
func (r *report) relations() {
	if r.Snapshot == nil || !takesPart(r.File) {
		return
	}
	c := corpus{r.Snapshot}
	pairs := c.reported(r.File)
	if r.Options.Mirror == MirrorHint {
		pairs = append(pairs, c.against(r.File)...)
	}
	for i, p := range pairs {
		if i == pairLimit {
			r.add(Finding{
				Code: MoreRelations, Span: r.claim(),
				Message: fmt.Sprintf("More than %d relations: the first %d are shown.", pairLimit, pairLimit),
			})
			return
		}
		r.pair(p)
	}
}

// pair adds the finding of a pair on whichever side the file is.
func (r *report) pair(p Pair) {
	if !r.wants(p.Code) {
		return
	}
	f := Finding{Code: p.Code, Span: r.claim()}
	if p.Incumbent.Path == r.File.Path {
		f.Severity, f.Message = Hint, sayMirror(p)
		f.Related = []Related{r.related(p.Reporter)}
		f.Data = pairData(r.File, p.Reporter, p.Code)
		f.Data.near(p.Near)
		f.Data.Here, f.Data.There = f.Data.There, f.Data.Here
		f.Data.Mirror = true
	} else {
		holders := 0
		f.Related = []Related{r.related(p.Incumbent)}
		if p.Code == Duplicate {
			holders = r.Snapshot.HolderCount(r.File.ContentHash)
			f.Related = r.otherHolders()
		}
		f.Message = r.say(p, holders)
		f.Data = pairData(r.File, p.Incumbent, p.Code)
		f.Data.near(p.Near)
		f.Severity = r.nearSeverity(p)
		if holders > relatedLimit+1 {
			f.Data.Holders = holders
		}
	}
	r.add(f)
}

// otherHolders shows who else holds the file's content, oldest first.
func (r *report) otherHolders() []Related {
	var places []Related
	for g := range r.Snapshot.Holders(r.File.ContentHash) {
		if g.Path == r.File.Path {
			continue
		}
		if len(places) == relatedLimit {
			break
		}
		places = append(places, r.related(g))
	}
	return places
}

// related is the claim of another file at its place.
func (r *report) related(g *index.File) Related {
	return Related{Path: g.Path, Span: r.claimOf(g.Path), Message: clip(g.Gist)}
}

func pairData(f, other *index.File, c Code) Data {
	d := Data{Other: other.Path}
	if c == FrameKeyConflict || c == FrameKeyRestatement {
		d.Key, d.Value, d.OtherValue = f.FrameKey, f.ShownValue, other.ShownValue
	}
	return d
}

// say is the message on the reporter, sayMirror that on the incumbent.
func (r *report) say(p Pair, holders int) string {
	switch p.Code {
	case Duplicate:
		return sayDuplicate(p.Incumbent, holders)
	case DuplicateNormalized:
		return sayDuplicateNormalized(p.Reporter, p.Incumbent, r.Document)
	case FrameKeyConflict:
		return sayConflict(p.Reporter, p.Incumbent)
	case NearDuplicate, NearDivergent:
		return sayNear(p.Near, p.Near.Verdict.A, p.Near.Verdict.B, p.Incumbent)
	default:
		return sayRestatement(p.Reporter, p.Incumbent)
	}
}

func sayMirror(p Pair) string {
	other := Shown(p.Reporter.Path)
	switch p.Code {
	case Duplicate:
		return other + " has the same text as this memory."
	case DuplicateNormalized:
		return other + " has the same text as this memory, but for the kind of spaces or how accented letters are composed."
	case FrameKeyConflict:
		return sayConflict(p.Incumbent, p.Reporter)
	case NearDuplicate, NearDivergent:
		return sayNear(p.Near, p.Near.Verdict.B, p.Near.Verdict.A, p.Reporter)
	default:
		return fmt.Sprintf("%s says again what this memory says: %s %s.",
			other, quote(p.Incumbent.FrameKey), clip(p.Incumbent.ShownValue))
	}
}

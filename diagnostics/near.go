package diagnostics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/same"
)

var nearDuplicateEntry = Entry{
	Code:     NearDuplicate,
	Severity: Information,
	Meaning:  "another memory says the same in other words",
	What: "The claims of two memories are the same but for their spelling, their order, short synonyms, or how an amount or a date is written: " +
		"“Drain the gateway prior to a restart” and “Before a restart, drain the gateway”. " +
		"Nothing in one is left that the other does not explain. Paraphrases in free wording are not found.\n\n" +
		"The finding is on the later file and points at the first memory that says it.",
	Why: "Two memories of one fact drift apart: one day somebody changes one of them.",
	Fix: "Merge the two, or let one supersede the other. " +
		"If both shall stay, a link between them settles the pair.",
	Wrong: "When a word that looks like a synonym is none here. Link the two.\n\n" +
		"Episodic memories, arcs, tasks and archived files never take part, and a pair that is told as a duplicate or for its frame is not told again.",
	Since: "0.1.0",
}

var nearDivergentEntry = Entry{
	Code:     NearDivergent,
	Severity: Warning,
	Meaning:  "another memory says nearly the same, and differs in a detail that counts",
	What: "The claims of two memories are alike but for what the message names: a number, a negation, a condition, who does what to whom, a name, " +
		"what may and what must be, a variant, a word, or something that only one of them says. " +
		"It is a warning when a number, a negation, a condition, a role, a name or a “must” differs and three quarters of one claim are in the other, and information otherwise.\n\n" +
		"The finding is on the later file. Only the ten nearest claims are looked at, and where ten or more differ from one in some detail they are taken for a list, of which this is not told.",
	Why: "Most often the later one corrects the earlier one, and nothing tells which is true today.",
	Fix: "If this memory is the truth now, let it supersede the other, or the other way round. " +
		"If both are true, a link between them (`memhtml-contradicts`, `memhtml-laterally-related` or any other memory relation) settles the pair.",
	Wrong: "When the two are about different things that are told in the same words, such as the ports of two services. " +
		"Link them, or turn the code off where a repository is full of such lists.",
	Since: "0.1.0",
}

// IsNear reports whether a code is one of those for which claims are compared, see
// [index.Snapshot.CompareClaims].
func IsNear(c Code) bool { return c == NearDuplicate || c == NearDivergent }

// Nearness is how two claims that are not equal agree.
type Nearness struct {
	// Verdict is that on the claims of the reporter and the incumbent.
	Verdict same.Verdict
	// Cosine is by the embedder that found the pair.
	Cosine float64
}

// nearReported are the near duplicates whose finding f carries: of those that say
// the same the first, since the others point at it too, then all that differ in
// something, the nearest first, unless they are a list.
func (c corpus) nearReported(f *index.File) []Pair {
	var first *Pair
	var differ []Pair
	neighbours := c.snap.NearClaims(f)
	if c.snap.Near() != nil && f.Compared() {
		neighbours = append([]index.Neighbour{{Claim: f.Gist, Cosine: 1, Same: true}}, neighbours...)
	}
	listed := differing(neighbours) >= index.ListSize
	if len(neighbours) == 0 {
		return nil
	}
	claim := same.Of(f.Gist)
	for _, n := range neighbours {
		if listed && !n.Same {
			continue
		}
		g := c.nearIncumbent(f, n.Claim)
		if g == nil {
			continue
		}
		verdict := same.Compare(claim, same.Of(n.Claim))
		p := Pair{NearDivergent, f, g, &Nearness{verdict, float64(n.Cosine)}}
		switch {
		case verdict.Kind == same.Differs:
			differ = append(differ, p)
		case verdict.Kind == same.Same && (first == nil || g.Before(first.Incumbent)):
			p.Code = NearDuplicate
			first = &p
		}
	}
	if first != nil {
		return append([]Pair{*first}, differ...)
	}
	return differ
}

// differing counts the neighbours that do not say the same.
func differing(neighbours []index.Neighbour) (n int) {
	for _, neighbour := range neighbours {
		if !neighbour.Same {
			n++
		}
	}
	return n
}

// nearIncumbent is the first file with a claim that f could report against and
// has no stronger or settled relation with, among the first that have it.
func (c corpus) nearIncumbent(f *index.File, claim string) *index.File {
	seen := 0
	for g := range earlier(c.snap.ClaimHolders(claim), f) {
		if seen++; seen > scanLimit {
			return nil
		}
		if sameText(f, g) || sameFrame(f, g) || settled(f, g) || c.holder(g) != nil {
			continue
		}
		return g
	}
	return nil
}

func sameFrame(f, g *index.File) bool { return f.FrameKey != "" && f.FrameKey == g.FrameKey }

// nearAgainst adds the near duplicates that others report against f.
func (c corpus) nearAgainst(pairs []Pair, f *index.File) []Pair {
	claims := []string{f.Gist}
	for _, n := range c.snap.NearClaims(f) {
		claims = append(claims, n.Claim)
	}
	seen := 0
	for _, claim := range claims {
		for g := range c.snap.ClaimHolders(claim) {
			if seen++; seen > scanLimit || len(pairs) > pairLimit {
				return pairs
			}
			if g.Path == f.Path || !takesPart(g) || g.Before(f) {
				continue
			}
			for _, p := range c.nearReported(g) {
				if p.Incumbent.Path == f.Path {
					pairs = append(pairs, p)
				}
			}
		}
	}
	return pairs
}

// grave are the differences that a warning is for.
var grave = []same.Class{same.Number, same.Negation, same.Condition, same.Role, same.Entity, same.Modality}

// nearSeverity is what the verdict on a pair makes of the severity of its code,
// 0 where it does not change it.
func (r *report) nearSeverity(p Pair) Severity {
	if p.Code != NearDivergent {
		return 0
	}
	if _, chosen := r.Options.Severities[p.Code]; chosen {
		return 0
	}
	v := p.Near.Verdict
	alike := max(v.A.Coverage, v.B.Coverage) >= same.CloseOne || embed.Reaches(p.Near.Cosine, embed.DefaultThreshold)
	if alike && slices.Contains(grave, v.Class) {
		return Warning
	}
	return Information
}

// near completes the facts of a finding about a near duplicate, from the side of
// the reporter.
func (d *Data) near(n *Nearness) {
	if n == nil {
		return
	}
	d.FoundBy, d.Similarity = embed.Lexnorm{}.ID(), float64(int(n.Cosine*1000+0.5))/1000
	d.Differs = n.Verdict.Class.String()
	d.Here, d.There = words(n.Verdict.A), words(n.Verdict.B)
}

func words(s same.Side) string { return strings.Join(s.Tokens, " ") }

// differences are the classes as a message names them.
var differences = map[same.Class]string{
	same.Number: "number", same.Negation: "negation", same.Modality: "what may and what must be",
	same.Condition: "condition", same.Variant: "variant", same.Entity: "name", same.Role: "who does what",
	same.Substitution: "wording",
}

// sayNear names the other file and what differs, from the side of the file that
// the message is on.
func sayNear(n *Nearness, here, there same.Side, other *index.File) string {
	name := Shown(other.Path)
	switch {
	case n.Verdict.Kind == same.Same:
		return fmt.Sprintf("Says the same as %s in other words.", name)
	case n.Verdict.Class == same.Surplus && len(there.Tokens) == 0:
		return fmt.Sprintf("Close to %s, which does not say: %s.", name, clip(words(here)))
	case n.Verdict.Class == same.Surplus && len(here.Tokens) == 0:
		return fmt.Sprintf("Close to %s, which also says: %s.", name, clip(words(there)))
	case n.Verdict.Class == same.Surplus:
		return fmt.Sprintf("Close to %s, but says more: %s.", name, sayDifference(here, there))
	}
	return fmt.Sprintf("Close to %s, but differs in %s: %s.", name, differences[n.Verdict.Class], sayDifference(here, there))
}

// sayDifference is "13 here, 3 there".
func sayDifference(here, there same.Side) string {
	var parts []string
	if text := words(here); text != "" {
		parts = append(parts, clip(text)+" here")
	}
	if text := words(there); text != "" {
		parts = append(parts, clip(text)+" there")
	}
	return strings.Join(parts, ", ")
}

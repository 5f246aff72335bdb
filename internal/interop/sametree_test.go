//go:build interop

package interop

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twins are two repositories that begin alike and get the same commands, one
// from each program.
type twins struct {
	t            *testing.T
	ours, theirs *root
	clock        clock
}

func newTwins(t *testing.T) *twins {
	t.Helper()
	w := &twins{t: t, ours: newRoot(t), theirs: newRoot(t), clock: startClock()}
	if a := w.ours.ours("", "init", w.ours.dir); a.status != 0 {
		t.Fatalf("init: %s", a.Error)
	}
	if a := w.theirs.theirs("", "init"); a.status != 0 {
		t.Fatalf("memhtml init: %s", a.Error)
	}
	return w
}

// both gives one command to both, and demands that both carry it out.
func (w *twins) both(args ...string) {
	w.t.Helper()
	if a := w.ours.ours("", args...); a.status != 0 {
		w.t.Errorf("%q: %s: %s", args, a.Code, a.Error)
	}
	if a := w.theirs.theirs("", args...); a.status != 0 {
		w.t.Errorf("memhtml %q: %s: %s", args, a.Code, a.Error)
	}
}

// same demands that both have the same memories and the same log.
func (w *twins) same() {
	w.t.Helper()
	if diff := cmp.Diff(w.theirs.tree(w.clock), w.ours.tree(w.clock)); diff != "" {
		w.t.Errorf("tree (-memhtml +ours):\n%s", diff)
	}
	if diff := cmp.Diff(w.theirs.log(w.clock), w.ours.log(w.clock)); diff != "" {
		w.t.Errorf("log (-memhtml +ours):\n%s", diff)
	}
}

// TestSameBatchesGiveTheSameTree: what both make of some hundred operations of
// all shapes is the same byte for byte, refusals included.
func TestSameBatchesGiveTheSameTree(t *testing.T) {
	w := newTwins(t)
	for seed := range uint64(3) {
		a := &author{Rand: rand.New(rand.NewPCG(seed, 1))}
		var lines []string
		for range 120 {
			lines = append(lines, a.operation())
		}
		w.apply(lines)
	}
	w.same()
}

// apply gives one batch to both and demands that both say the same of each
// operation.
func (w *twins) apply(lines []string) {
	w.t.Helper()
	type result struct {
		OK, Deduped bool
		Path        string
		Action      string `json:",omitempty"`
	}
	var ours, theirs struct{ Results []result }
	batch := strings.Join(lines, "\n") + "\n"
	if a := w.ours.ours(batch, "apply", "--continue-on-error"); len(a.Data) == 0 {
		w.t.Fatalf("apply: %s: %s", a.Code, a.Error)
	} else if err := json.Unmarshal(a.Data, &ours); err != nil {
		w.t.Fatal(err)
	}
	if a := w.theirs.theirs(batch, "apply", "-", "--continue-on-error"); len(a.Data) == 0 {
		w.t.Fatalf("memhtml apply: %s: %s", a.Code, a.Error)
	} else if err := json.Unmarshal(a.Data, &theirs); err != nil {
		w.t.Fatal(err)
	}
	if len(ours.Results) != len(lines) || len(theirs.Results) != len(lines) {
		w.t.Fatalf("%d and %d results of %d operations", len(ours.Results), len(theirs.Results), len(lines))
	}
	for i, line := range lines {
		mine, other := ours.Results[i], theirs.Results[i]
		mine.Deduped = mine.Action == "deduped"
		mine.Action = ""
		if mine != other {
			w.t.Errorf("%s\nmemhtml: %+v\nours:    %+v", line, other, mine)
		}
	}
}

// author makes up operations.
type author struct {
	*rand.Rand
	facts int
}

func (a *author) pick(list ...string) string { return list[a.IntN(len(list))] }

func (a *author) often(n int) bool { return a.IntN(n) > 0 }

// phrase is a few words, with what breaks naive code among them.
func (a *author) phrase(n int) string {
	var b strings.Builder
	for range 1 + a.IntN(n) {
		b.WriteString(a.pick("kiln", "the", "height", "of", "Déjà", "vu", "窑", "3.5", "don't", "<b>", "&amp;", "\"q\"", "İ", "ﬁ", "½", "😀", "a-b", "C++") +
			a.pick(" ", " ", " ", "  ", "\u00a0", "\t", ", ", ". ", "! ", "\n"))
	}
	return strings.TrimSpace(b.String())
}

// fact is a sentence; one in ten was said before.
func (a *author) fact() string {
	if a.IntN(10) > 0 {
		a.facts++
	}
	return fmt.Sprintf("The height of wall %d is %d.", a.facts, a.facts)
}

func (a *author) paragraph() string {
	return a.pick(a.phrase(12), a.phrase(12), "```go\nx := 1\n\nif x < 2 && y {\n}\n```", "````C++ numbered\n```\n````",
		"```sh\nnever closed", "- a\n- b", "  indented\n  twice")
}

// operation is one line of a batch.
func (a *author) operation() string {
	op := map[string]any{
		"op": "write", "title": a.phrase(a.IntN(30) + 1),
		"type": a.pick("semantic", "semantic", "episodic", "procedural", "precedent", "verdict", "task", "agent_insight", "arc", "fact"),
	}
	if a.often(4) {
		body := a.fact()
		for range a.IntN(4) {
			body += a.pick(" ", "\n\n", "\n \n\n") + a.paragraph()
		}
		op["body"] = body
	} else {
		op["article_html"] = a.markup()
	}
	a.file(op)
	a.weigh(op)
	line, err := json.Marshal(op)
	if err != nil {
		panic(err)
	}
	return string(line)
}

// file says where an operation belongs.
func (a *author) file(op map[string]any) {
	if !a.often(3) {
		op["workspace"] = a.pick("Yard", "Déjà vu", "a/b")
	}
	if !a.often(2) {
		op["tag"] = a.pick("glaze", "x & y", " Cone 6 ")
	}
	if !a.often(3) {
		op["tags"] = []string{a.phrase(2), "", "t"}
	}
	if !a.often(3) {
		op["entity"] = []string{a.pick("person:Ines", "person: ", "org:yard"), "tool:kiln"}
		op["entities"] = "site:yard"
	}
	if !a.often(10) {
		op["path"] = a.pick(fmt.Sprintf("areas/ops/p%d.html", a.IntN(5)), "/projects//y/z.html")
		if op["strict_path"] = a.often(2); op["strict_path"] == true {
			op["path"] = a.pick(fmt.Sprint(op["path"]), "areas/../x.html", "elsewhere/x.html")
		}
	}
}

// weigh says what an operation is worth and where it comes from.
func (a *author) weigh(op map[string]any) {
	if !a.often(4) {
		op["importance"] = []any{1 + a.IntN(10), "7", nil}[a.IntN(3)]
	}
	if !a.often(4) {
		op["confidence"] = float64(a.IntN(1001)) / 1000
	}
	if !a.often(5) {
		op["session_id"], op["prompt_id"], op["turn_uuid"] = "s-"+a.phrase(1), "p", "t"
	}
	if op["type"] == "task" || !a.often(9) {
		op["status"], op["due"] = a.pick("todo", "doing", "blocked", "done"), "2030-02-28"
	}
}

// markup is the inside of an article, good or not.
func (a *author) markup() string {
	a.facts++
	claim := fmt.Sprintf("<p><mark>Wall %d is %s</mark>", a.facts, a.pick("high", "&lt;high&gt;", "<em>high</em>", "h\u00a0igh"))
	return a.pick("", "", "\n ", "<h2>t</h2>") + claim + a.pick("</p>", " since <time datetime=\"2019-02-03\">then</time>.</p>", "<p>unclosed", "<br>b</p>") +
		a.pick("", "<ul><li>a<li>b</ul>", "<dl><dt>h<dd><data value=\"3\">3 m</data></dl>", "<pre>\n\n two\n</pre>", "<!-- a &amp; b --><p>c</p>",
			"<figure><pre><code data-lang=\"go\">x &lt; y</code></pre></figure>", "<p class=\"x\">styled</p>", "<aside><mark>two</mark></aside>",
			"<table><tr><td>1</table>", "<p title='a\"b' id=z>q</p>")
}

// TestSameAnswersToBatchOptions: with the flags of a batch, both say the same of
// each operation, and write the same.
func TestSameAnswersToBatchOptions(t *testing.T) {
	w := newTwins(t)
	height := func(wall, metres int) string {
		return fmt.Sprintf(`{"op":"write","title":"Wall %d, %d m","type":"semantic","tag":"t%d","body":"The height of wall %d is %d m. Measured."}`,
			wall, metres, metres, wall, metres)
	}
	for _, batch := range []struct {
		lines []string
		flags []string
	}{
		{[]string{height(1, 1), height(2, 1), height(3, 1)}, nil},
		{[]string{height(1, 2), height(1, 3), height(4, 1), height(4, 2), height(4, 3)}, []string{"--detect-conflicts"}},
		{[]string{height(2, 2), height(5, 1), height(2, 3), height(5, 2), height(6, 1)}, []string{"--consolidate", "last-wins"}},
		{[]string{height(7, 1), `{"op":"write","title":"x","type":"nothing","body":"b"}`, height(7, 2)}, nil},
		{[]string{height(8, 1)}, []string{"--detect-near-duplicates"}},
	} {
		w.options(batch.lines, batch.flags)
	}
	if diff := cmp.Diff(w.theirs.tree(w.clock), w.ours.tree(w.clock)); diff != "" {
		t.Errorf("tree (-memhtml +ours):\n%s", diff)
	}
}

// outcome is what both say of one operation.
type outcome struct {
	Index            int
	OK, Skipped      bool
	Path             string
	Code             string
	ConsolidatedInto *int
	SupersededPath   string
	ConflictPath     string
	ConflictIndex    *int
	ConflictClaim    string
}

// options gives one batch to both and compares all that they say of it.
func (w *twins) options(lines, flags []string) {
	w.t.Helper()
	type clash struct {
		Path, Claim string
		Index       *int
		BatchIndex  *int `json:"batch_index"`
	}
	type result struct {
		outcome
		IntoTheirs       *int   `json:"consolidated_into"`
		SupersededTheirs string `json:"superseded_path"`
		Conflict         *clash
	}
	type said struct {
		Results []result
		Summary map[string]int
	}
	batch := strings.Join(lines, "\n") + "\n"
	read := func(a answer) (outcomes []outcome, summary map[string]int) {
		var s said
		a.into(w.t, &s)
		for _, r := range s.Results {
			o := r.outcome
			if r.IntoTheirs != nil {
				o.ConsolidatedInto = r.IntoTheirs
			}
			o.SupersededPath = w.clock.normal(o.SupersededPath + r.SupersededTheirs)
			if c := r.Conflict; c != nil {
				o.ConflictPath, o.ConflictClaim, o.ConflictIndex = c.Path, c.Claim, c.Index
				if c.BatchIndex != nil {
					o.ConflictIndex = c.BatchIndex
				}
			}
			outcomes = append(outcomes, o)
		}
		if s.Summary["consolidated"] == 0 {
			delete(s.Summary, "consolidated")
		}
		return outcomes, s.Summary
	}
	ours, ourSummary := read(w.ours.ours(batch, append([]string{"apply"}, flags...)...))
	theirs, theirSummary := read(w.theirs.theirs(batch, append([]string{"apply", "-"}, flags...)...))
	if len(theirs) != len(lines) {
		w.t.Errorf("%q: %d results of %d operations", flags, len(theirs), len(lines))
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		w.t.Errorf("%q: results (-memhtml +ours):\n%s", flags, diff)
	}
	if diff := cmp.Diff(theirSummary, ourSummary); diff != "" {
		w.t.Errorf("%q: summary (-memhtml +ours):\n%s", flags, diff)
	}
}

package lsp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// polled is what a request for the workspace is answered at once; previous are
// the uris and ids that the client sends, by turns.
func polled(p *pulled, previous ...string) []string {
	q := &poll{known: map[string]string{}, spellings: map[string][]uri.URI{}}
	for i := 0; i < len(previous); i += 2 {
		name := canonical(previous[i])
		q.known[name] = previous[i+1]
		q.spellings[name] = append(q.spellings[name], uri.URI(previous[i]))
	}
	p.begin(q)
	defer p.finish(q)
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for _, report := range p.reportsLocked(q) {
		full := report.(*protocol.WorkspaceFullDocumentDiagnosticReport)
		line := string(full.URI)
		for _, d := range full.Items {
			line += " " + string(d.Message.(protocol.String))
		}
		lines = append(lines, line)
	}
	return lines
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestTellsWhatTheClientDoesNotKnow(t *testing.T) {
	p := newPulled(false)
	x, y := found("file:///x.html", "x"), found("file:///y.html", "y")
	p.show(x, false)
	p.show(y, false)
	wantLines(t, "a first question", polled(p), "file:///x.html x", "file:///y.html y")
	wantLines(t, "known", polled(p, "file:///x.html", x.id, "file:///y.html", y.id))
	p.show(found("file:///y.html"), false)
	wantLines(t, "gone", polled(p, "file:///x.html", x.id, "file:///y.html", y.id), "file:///y.html")
	wantLines(t, "of an earlier life", polled(p, "file:///x.html", x.id, "file:///old.html", "?"), "file:///old.html")
	wantLines(t, "an answer that was lost", polled(p), "file:///x.html x")
}

// The client's spelling is kept, and of two spellings of one file one is.
func TestSpellingsOfPreviousIDs(t *testing.T) {
	p := newPulled(false)
	p.show(found("file:///a@b.html", "x"), false)
	wantLines(t, "another spelling", polled(p, "file:///a%40b.html", "old"), "file:///a%40b.html x")
	now := p.shown[canonical("file:///a@b.html")].id
	wantLines(t, "two spellings", polled(p, "file:///a%40b.html", now, "file:///a@b.html", now), "file:///a%40b.html", "file:///a@b.html x")
	wantLines(t, "known", polled(p, "file:///a%40b.html", now))
}

// A client that never takes what it is told is not answered for ever.
func TestToldAgainAndAgain(t *testing.T) {
	p := newPulled(false)
	p.show(found("file:///x.html", "x"), false)
	n := 0
	for len(polled(p)) > 0 {
		if n++; n > 10 {
			t.Fatal("answered for ever")
		}
	}
	p.show(found("file:///x.html", "y"), false)
	wantLines(t, "a change", polled(p), "file:///x.html y")
}

// An open document that the client asks for does not answer the question about
// the workspace; one that it does not ask for although it was told to does, such
// as one behind a closed tab.
func TestDocumentOutOfSight(t *testing.T) {
	p := newPulled(false)
	x := opened("file:///x.html", "x")
	p.show(x, false)
	wantLines(t, "not asked for", polled(p), "file:///x.html x")
	p.answered(jsonrpc2.NewNumberID(1), x)
	p.show(opened("file:///x.html", "y"), false)
	wantLines(t, "asked for", polled(p, "file:///x.html", x.id))
	start := time.Now()
	if stale, wait := p.takeStale(start, time.Second); !stale || wait > time.Second {
		t.Errorf("stale %v, wait %v", stale, wait)
	}
	if stale, _ := p.takeStale(start.Add(time.Second/2), time.Second); stale {
		t.Error("told twice to ask again")
	}
	wantLines(t, "not yet out of sight", polled(p, "file:///x.html", x.id))
	p.takeStale(start.Add(time.Second), time.Second)
	wantLines(t, "out of sight", polled(p, "file:///x.html", x.id), "file:///x.html y")
}

// What an answer brought of other files is told again when the client throws the
// answer away: the request was cancelled, or its document closed.
func TestOthersOfAnAnswerThatWasThrownAway(t *testing.T) {
	for name, away := range map[string]func(*pulled){
		"cancelled": func(p *pulled) { p.unheard(jsonrpc2.NewNumberID(1)) },
		"closed":    func(p *pulled) { p.show(found("file:///x.html"), false) },
	} {
		p := newPulled(true)
		x, y := opened("file:///x.html"), found("file:///y.html", "y")
		p.show(x, false)
		p.show(y, false)
		if got := p.answered(jsonrpc2.NewNumberID(1), x); len(got) != 1 || got[0] != y {
			t.Fatalf("%s: brought %v", name, got)
		}
		if p.news[canonical("file:///y.html")] {
			t.Errorf("%s: not told", name)
		}
		away(p)
		if !p.news[canonical("file:///y.html")] {
			t.Errorf("%s: forgotten", name)
		}
	}
}

// Before the first index there are no findings, and the client is told to ask
// again rather than that there are none.
func TestQuestionBeforeTheFirstIndex(t *testing.T) {
	s := newServer(t.Context(), Options{IndexWait: time.Millisecond}.withDefaults())
	s.pulled = newPulled(false)
	path, _ := s.askable("file:///memories/areas/x.html")
	_, err := s.findingsNow(t.Context(), path)
	got := answerFor(err)
	if got.Code != -32802 || string(got.Data) != `{"retriggerRequest":true}` {
		t.Errorf("%v %s", got, got.Data)
	}
}

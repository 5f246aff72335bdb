package memory

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumber(t *testing.T) {
	numbers := map[string]float64{
		"0": 0, "-0": 0, "7": 7, " 7 ": 7, "\uFEFF\u00A07\u2028": 7, "+7": 7, "-7": -7, "007": 7,
		"1e3": 1000, "1E+3": 1000, "1e-3": 0.001, ".5": 0.5, "5.": 5, "5.e1": 50, "0x10": 16, "0XfF": 255,
		"0o17": 15, "0B101": 5, "5e-400": 0, "123456789012345678901": 123456789012345680000,
		"0x20000000000001": 9007199254740992, "0xfffffffffffffffffffff": 19342813113834067000000000,
	}
	for s, want := range numbers {
		if got, ok := number(s); !ok || got != want || math.Signbit(got) != (want < 0) {
			t.Errorf("number(%q) = %v, %v; want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{
		"", " ", "x", "1_0", "1,000", "1 0", "Infinity", "-Infinity", "inf", "NaN", "nan", "1e400", "0x", "0xg", "-0x10",
		"0x-1", "0x1p4", "0x1.8", "0b2", "0o8", "1e", "e1", ".", "+", "--1", "1.2.3", "١", "７", "1n", "0x1_0", "\u20287\u00857", "7\u0085",
		"0x" + strings.Repeat("f", 300),
	} {
		if got, ok := number(s); ok {
			t.Errorf("number(%q) = %v, want none", s, got)
		}
	}
}

func TestValidDate(t *testing.T) {
	for _, s := range []string{
		"2026-05-02", "2024-02-29", "2000-02-29", "0100-01-01", "9999-12-31", "2026-05-02T00:00:00Z", "2026-05-02T23:59:60Z",
	} {
		if !ValidDate(s) {
			t.Errorf("ValidDate(%q) = false", s)
		}
	}
	for _, s := range []string{
		"", "2026-5-2", "2026-05-02T08:30Z", "2026-05-02t08:30:15Z", "2026-05-02T08:30:15z", "2026-05-02 08:30:15Z",
		"2026-05-02T08:30:15", "2026-05-02T24:00:00Z", "2026-05-02T08:60:15Z", "2026-05-02T08:30:61Z", "2026-02-29", "1900-02-29",
		"2026-04-31", "2026-13-01", "2026-00-01", "2026-01-00", "0099-12-31", "0000-01-01", "-026-01-01", "+026-01-01",
		"2026-05-0a", "２０２６-05-02", "2026/05/02", "2026-05-02\n", " 2026-05-02", "10000-01-01", "2026-05-02T-8:30:15Z",
		"2026-05-02T08-30-15Z", "2026-05-02T08:30:15+", "2026 05 02",
	} {
		if ValidDate(s) {
			t.Errorf("ValidDate(%q) = true", s)
		}
	}
}

func TestMetas(t *testing.T) {
	with := func(lines string) *Document {
		return Parse([]byte(strings.Replace(wellHeaded("<article>"+claim+"</article>"), "</head>", lines+"</head>", 1)))
	}
	t.Run("absent is not empty", func(t *testing.T) {
		m := with(`<meta name="memhtml-author">`).Metas
		if !m.Has("memhtml-author") || m.Has("memhtml-session") || m.Has("description") {
			t.Errorf("Has: author %v, session %v", m.Has("memhtml-author"), m.Has("memhtml-session"))
		}
	})
	t.Run("dropped", func(t *testing.T) {
		d := with(`<meta name="memhtml-importance" content="11"><meta name="memhtml-confidence" content=" ">` +
			`<meta name="memhtml-reprieves" content="1.5">`)
		want := []rowProblem{
			{Code: "optional-meta-dropped", Subject: "memhtml-importance", Value: "11"},
			{Code: "optional-meta-dropped", Subject: "memhtml-confidence", Value: " "},
			{Code: "optional-meta-dropped", Subject: "memhtml-reprieves", Value: "1.5"},
		}
		if diff := cmp.Diff(want, problemsOf(d.Dropped)); diff != "" || !d.Accepted() {
			t.Errorf("accepted %v, dropped (-want +got):\n%s", d.Accepted(), diff)
		}
	})
	t.Run("first of several counts", func(t *testing.T) {
		d := with(`<meta name="memhtml-author" content="a"><meta name="memhtml-author" content="b">`)
		want := []rowProblem{{Code: "meta-duplicate", Subject: "memhtml-author", Count: 2}}
		if diff := cmp.Diff(want, problemsOf(d.Violations)); diff != "" || d.Metas.Author != "a" {
			t.Errorf("author %q, violations (-want +got):\n%s", d.Metas.Author, diff)
		}
	})
	t.Run("task status on another type", func(t *testing.T) {
		d := with(`<meta name="memhtml-task-status" content="begun">`)
		want := []rowProblem{
			{Code: "task-status-forbidden", Subject: "memhtml-task-status", Type: "semantic"},
			{Code: "task-status-unknown", Subject: "memhtml-task-status", Value: "begun"},
		}
		if diff := cmp.Diff(want, problemsOf(d.Violations)); diff != "" {
			t.Errorf("violations (-want +got):\n%s", diff)
		}
	})
	t.Run("order of the dates", func(t *testing.T) {
		d := with(`<meta name="memhtml-archived" content="a"><meta name="memhtml-valid-until" content="u">` +
			`<meta name="memhtml-valid-from" content="f"><meta name="memhtml-due" content="d">`)
		var got []string
		for _, p := range d.Violations {
			got = append(got, p.Code+" "+p.Value)
		}
		want := []string{"due-datetime d", "meta-datetime f", "meta-datetime u", "meta-datetime a"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("violations (-want +got):\n%s", diff)
		}
	})
}

func TestNormalHash(t *testing.T) {
	normal := func(body string) Hash { return Parse([]byte("<article>" + body + "</article>")).NormalHash }
	plain := normal("<p>Caf\u00E9 is open</p>")
	for name, body := range map[string]string{
		"decomposed":          "<p>Cafe\u0301 is open</p>",
		"no-break space":      "<p>Caf\u00E9\u00A0is open</p>",
		"runs and ends":       "<p>\u2003Caf\u00E9 \u2028 is\v open\uFEFF</p>",
		"markup and newlines": "<section>\n<p>Caf\u00E9</p> <p>is</p>\topen</section>",
	} {
		if normal(body) != plain {
			t.Errorf("%s: not the same as plain", name)
		}
	}
	if normal("<p>caf\u00E9 is open</p>") == plain {
		t.Error("case makes no difference")
	}
	if got := normal("<pre>Caf\u00E9 is open</pre>"); got != (Hash{}) {
		t.Errorf("with <pre>: %v, want none", got)
	}
	d := Parse([]byte("<article><p>a b</p></article>"))
	if d.NormalHash != d.ContentHash || d.NormalHash != hashOf("a b") {
		t.Errorf("plain text: normal %s, content %s", d.NormalHash, d.ContentHash)
	}
	if v := Parse([]byte("<article><p>a\vb</p></article>")).NormalHash; v != hashOf("a b") {
		t.Error("U+000B is not whitespace")
	}
}

package index

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func wroteBy(session, at string) func(*File) {
	return func(f *File) { f.Origin, f.Created = &Origin{Session: session}, at }
}

func endedAt(at string) func(*File) {
	return func(f *File) { f.Origin = &Origin{Ended: at} }
}

func record(t *testing.T, db *DB, links ...SessionLink) {
	t.Helper()
	if err := db.Record(t.Context(), links); err != nil {
		t.Fatal(err)
	}
}

// linksOf are the session links of a path or, below them, of a session.
func linksOf(t *testing.T, db *DB, keys ...string) (out []string) {
	t.Helper()
	for _, key := range keys {
		ask := db.MemoriesOf
		if strings.HasSuffix(key, ".html") {
			ask = db.SessionsOf
		}
		links, err := ask(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range links {
			out = append(out, strings.Join([]string{l.Path, l.Session, string(l.Kind), l.At}, " "))
		}
	}
	return out
}

const (
	livePath = "areas/a.html"
	oldPath  = "archive/2026/areas/a.html"
)

func TestSessionLinksAreKeptOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	db := openDB(t, path)
	apply(t, db, rows(file(livePath, 1)))
	said := SessionLink{livePath, "s1", SessionReinforced, "2026-05-02T08:30:00Z"}
	later, other, read := said, said, said
	later.At, other.Session, read.Kind = "2026-05-03T08:30:00Z", "s2", SessionRead
	record(t, db, said, said)
	record(t, db, said, later, other, read)
	want := []string{
		"areas/a.html s1 read 2026-05-02T08:30:00Z", "areas/a.html s1 reinforced 2026-05-02T08:30:00Z",
		"areas/a.html s2 reinforced 2026-05-02T08:30:00Z", "areas/a.html s1 reinforced 2026-05-03T08:30:00Z",
	}
	if diff := cmp.Diff(want, linksOf(t, db, livePath)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	must(t, db.Close())
	if got := linksOf(t, openDB(t, path), livePath); len(got) != 4 {
		t.Errorf("the next start has %q", got)
	}
	if err := openDB(t, path).Record(t.Context(), []SessionLink{{livePath, "s1", "dreamt", "2026"}}); err == nil {
		t.Error("a kind that there is not was recorded")
	}
}

// What the files say is told without a record: by a database that was made anew
// as by one that followed.
func TestFilesSayWhichSessionsWroteAndCorrected(t *testing.T) {
	files := rows(
		file(livePath, 1, wroteBy("s1", "2026-05-02"), supersedes("archive/2026/areas/then.html"), supersedes("archive/2026/areas/later.html")),
		file("archive/2026/areas/then.html", 2, endedAt("2026-05-02")),
		// It was superseded after the winner was written, by nobody knows whom.
		file("archive/2026/areas/later.html", 3, endedAt("2026-06-01")),
		file("areas/nobody.html", 4, supersedes("archive/2026/areas/then.html"), func(f *File) { f.Created = "2026-05-02" }),
	)
	want := []string{
		"areas/a.html s1 wrote 2026-05-02", "archive/2026/areas/then.html s1 corrected 2026-05-02",
		"archive/2026/areas/then.html s1 corrected 2026-05-02", "areas/a.html s1 wrote 2026-05-02",
	}
	keys := []string{livePath, "archive/2026/areas/then.html", "archive/2026/areas/later.html", "areas/nobody.html", "s1", ""}
	followed, made := tempDB(t), tempDB(t)
	for _, r := range slices.Backward(files) {
		apply(t, followed, []Row{r})
	}
	must(t, made.Replace(t.Context(), slices.Values(files), Watermark{}))
	for name, db := range map[string]*DB{"followed": followed, "made": made} {
		// The command that wrote it has recorded it as well.
		record(t, db, SessionLink{livePath, "s1", SessionWrote, "2026-05-02"})
		if diff := cmp.Diff(want, linksOf(t, db, keys...)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// A row follows its memory, whoever moves it (M100).
func TestSessionLinksFollowTheirMemory(t *testing.T) {
	const said = " s1 reinforced 2026-05-02T08:30:00Z"
	archived := file(oldPath, 1, endedAt("2026-06-01T00:00:00Z"))
	tests := []struct {
		name string
		move func(db *DB)
		want []string
	}{
		{"archived", func(db *DB) { apply(t, db, rows(archived), livePath) }, []string{oldPath + said}},
		{"archived by hand", func(db *DB) { apply(t, db, rows(file(oldPath, 1)), livePath) }, []string{oldPath + said}},
		{"archived in two looks", func(db *DB) {
			apply(t, db, nil, livePath)
			apply(t, db, rows(archived))
		}, []string{oldPath + said}},
		{"archived, and another in its place", func(db *DB) {
			apply(t, db, rows(archived, file(livePath, 2)))
			record(t, db, SessionLink{livePath, "s2", SessionReinforced, "2026-06-02T00:00:00Z"})
		}, []string{"areas/a.html s2 reinforced 2026-06-02T00:00:00Z", oldPath + said}},
		{"archived before a rebuild", func(db *DB) {
			must(t, db.Replace(t.Context(), slices.Values(rows(archived)), Watermark{}))
		}, []string{oldPath + said}},
		{"a rebuild", func(db *DB) {
			must(t, db.Replace(t.Context(), slices.Values(rows(file(livePath, 1))), Watermark{}))
		}, []string{livePath + said}},
		{"archived and taken back", func(db *DB) {
			apply(t, db, rows(archived), livePath)
			apply(t, db, rows(file(livePath, 1)), oldPath)
		}, []string{livePath + said}},
		{"a copy in the archive", func(db *DB) { apply(t, db, rows(file(oldPath, 1))) }, []string{livePath + said}},
		{"no archive of a year", func(db *DB) { apply(t, db, rows(file("archive/areas/a.html", 1)), livePath) }, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			db := tempDB(t)
			apply(t, db, rows(file(livePath, 1)))
			record(t, db, SessionLink{livePath, "s1", SessionReinforced, "2026-05-02T08:30:00Z"})
			test.move(db)
			if diff := cmp.Diff(test.want, linksOf(t, db, "s1", "s2"), cmpSorted); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

var cmpSorted = cmp.Transformer("sorted", func(in []string) []string { return slices.Sorted(slices.Values(in)) })

func TestSessionsAreFoundByIndex(t *testing.T) {
	db := tempDB(t)
	for query, wants := range map[string][]string{
		sessionsOfSQL: {"SEARCH sessions USING PRIMARY KEY (path=?)", "links_superseded (target=?)"},
		memoriesOfSQL: {"sessions_memories (session=?)", "SEARCH files USING INDEX files_sessions (session=?)", "SEARCH winner USING INDEX files_sessions (session=?)"},
	} {
		plan := explain(t, db, query)
		if strings.Contains(plan, "SCAN") {
			t.Errorf("%s\n%s", query, plan)
		}
		for _, want := range wants {
			if !strings.Contains(plan, want) {
				t.Errorf("%s does without %s\n%s", query, want, plan)
			}
		}
	}
}

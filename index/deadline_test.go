package index

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The deadlines are ten times what the work takes on the machine of the
// budgets, so that a busy machine passes and a quadratic step does not.

func within10(t *testing.T, what string, budget time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > 10*raceFactor*budget {
		t.Errorf("%s took %v, the budget is %v", what, took, raceFactor*budget)
	}
}

func TestFullBuildIsInTime(t *testing.T) {
	const n = 2000
	dir, db := benchCorpus(t, n), filepath.Join(t.TempDir(), "index.db")
	within10(t, "a full build", 4*time.Second*n/corpusSize, func() {
		s, _, err := fullBuild(t.Context(), dir, db)
		if err != nil || s.Len() != n {
			t.Errorf("full build: %v", err)
		}
	})
	within10(t, "a warm start", time.Second*n/corpusSize, func() {
		s, found, err := warmStart(t.Context(), dir, db)
		if err != nil || s.Len() != n || len(found.Moved) > 0 {
			t.Errorf("warm start read %d files, %v", len(found.Moved), err)
		}
	})
}

// TestTenThousandHoldersAreInTime is for the corpus in which one file was
// copied all over the place.
func TestTenThousandHoldersAreInTime(t *testing.T) {
	const n = 10_000
	var all []Row
	for i := range n {
		all = append(all, row(file(fmt.Sprintf("areas/%05d.html", i), 1, link("areas/00000.html", ""))))
	}
	var s *Snapshot
	within10(t, "building", 100*time.Millisecond, func() { s = Build(filesOf(all)) })
	within10(t, "a thousand changes", 100*time.Millisecond, func() {
		for i := range 1000 {
			path := fmt.Sprintf("areas/%05d.html", i*7)
			s = s.Apply(disk(file(path, 2)))
			if got := s.HolderCount(s.File(path).ContentHash); got != i+1 {
				t.Fatalf("%d files hold the second content, want %d", got, i+1)
			}
		}
	})
	db := tempDB(t)
	apply(t, db, all)
	within10(t, "handing over fifty claims", 250*time.Millisecond, func() {
		for i := range 50 {
			apply(t, db, nil, fmt.Sprintf("areas/%05d.html", i))
		}
	})
	if path, _, err := db.Holder(t.Context(), [32]byte{1}); path != "areas/00050.html" || err != nil {
		t.Errorf("the claim is with %q, %v", path, err)
	}
}

func TestTenThousandLinksAreInTime(t *testing.T) {
	var links strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&links, "<link rel=\"memhtml-supports\" href=\"/areas/some/longer/folder/name/%d.html\">\n", i)
	}
	src := []byte(strings.Replace(memo("x"), "</head>", links.String()+"</head>", 1))
	within10(t, "ten thousand links", 200*time.Millisecond, func() {
		if f := NewFile("areas/a.html", src); len(f.Links) != 10_000 {
			t.Errorf("%d links", len(f.Links))
		}
	})
}

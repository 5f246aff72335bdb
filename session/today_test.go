package session

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clocked is a fixture whose day the test says, and the changes that it made.
type clocked struct {
	*fixture
	day     atomic.Pointer[time.Time]
	changes []Change
}

func newClocked(t *testing.T, files map[string]string) *clocked {
	t.Helper()
	c := &clocked{}
	c.set("2026-05-02T23:59:59Z")
	c.fixture = newFixture(t, files)
	root, err := Open(context.Background(), c.dir, Options{
		Now:      func() time.Time { return *c.day.Load() },
		OnChange: func(change Change) { c.changes = append(c.changes, change) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	if err := root.Index(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	c.root, c.changes = root, nil
	return c
}

func (c *clocked) set(now string) {
	at, err := time.Parse(time.RFC3339, now)
	if err != nil {
		panic(err)
	}
	c.day.Store(&at)
}

// The poller finds that a day has passed, and tells of those files alone that
// have something else to tell by that.
func TestPassedDayIsAChange(t *testing.T) {
	c := newClocked(t, map[string]string{
		"areas/over.html":    claim("Over", 1, `<meta name="memhtml-valid-until" content="2026-05-02">`),
		"areas/far.html":     claim("Far", 1, `<meta name="memhtml-valid-until" content="2026-05-04">`),
		"areas/long.html":    claim("Long over", 1, `<meta name="memhtml-valid-until" content="2026-01-02">`),
		"areas/without.html": claim("Without", 1),
	})
	long := "areas/long.html validity-expired"
	if diff := cmp.Diff([]string{long}, c.codes()); diff != "" {
		t.Errorf("on the last day (-want +got)\n%s", diff)
	}
	if _, err := c.root.Poll(context.Background()); err != nil || len(c.changes) != 0 {
		t.Fatalf("a poll on the same day made changes: %v, %v", c.changes, err)
	}
	for _, day := range []struct {
		now      string
		affected []string
		want     []string
	}{
		{"2026-05-03T00:00:00Z", []string{"areas/over.html"}, []string{long, "areas/over.html validity-expired"}},
		{"2026-05-02T23:00:00Z", []string{"areas/over.html"}, []string{long}},
		{"2026-05-06T00:00:00Z", []string{"areas/far.html", "areas/over.html"}, []string{"areas/far.html validity-expired", long, "areas/over.html validity-expired"}},
	} {
		c.set(day.now)
		c.changes = nil
		if _, err := c.root.Poll(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(c.changes) != 1 {
			t.Fatalf("%s: %d changes", day.now, len(c.changes))
		}
		if diff := cmp.Diff(day.affected, c.changes[0].Affected); diff != "" {
			t.Errorf("%s: affected (-want +got)\n%s", day.now, diff)
		}
		if diff := cmp.Diff(day.want, c.codes()); diff != "" {
			t.Errorf("%s: findings (-want +got)\n%s", day.now, diff)
		}
	}
}

// A key that is pressed right after midnight brings the day as a poll does.
func TestEditAfterMidnightBringsTheDay(t *testing.T) {
	c := newClocked(t, map[string]string{
		"areas/over.html": claim("Over", 1, `<meta name="memhtml-valid-until" content="2026-05-02">`),
		pool:              claim("Drain", 1),
	})
	c.set("2026-05-03T00:00:00Z")
	change := c.root.Edit(Modification{Kind: Opened, Path: pool, Text: []byte(c.read(pool))})
	if diff := cmp.Diff([]string{pool, "areas/over.html"}, change.Affected); diff != "" {
		t.Errorf("affected (-want +got)\n%s", diff)
	}
	if got := change.View.Snapshot.File("areas/over.html"); change.View.Quiet(got) {
		t.Error("a file that expired is quiet")
	}
}

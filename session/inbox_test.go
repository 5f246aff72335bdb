package session

import (
	"strings"
	"testing"
)

func TestInboxIsCounted(t *testing.T) {
	f := newFixture(t, map[string]string{
		"areas/inbox/a.html": claim("A", 1), "areas/inbox/deep/b.html": claim("B", 1) + "<script>",
		"areas/inbox/tasks/t.html":           strings.Replace(claim("T", 1), "semantic", "task", 1),
		"areas/inbox.html":                   claim("C", 1),
		"areas/inboxes/d.html":               claim("D", 1),
		"archive/2026/areas/inbox/gone.html": archivedClaim("E", 1),
	})
	if got := f.root.View().Inbox(); got != (Inbox{Memories: 2, Tasks: 1}) || got.Crowded() {
		t.Errorf("inbox %+v", got)
	}
	for depth, want := range map[Inbox]bool{{20, 10}: false, {21, 0}: true, {0, 11}: true} {
		if depth.Crowded() != want {
			t.Errorf("%+v: crowded is %v", depth, !want)
		}
	}
}

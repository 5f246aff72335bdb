package session

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/fakemodel"
)

const (
	kilnClaim  = "The kiln fires on Friday."
	ovenClaim  = "The oven is lit at the end of each week."
	berthClaim = "Berths are let by the month."
)

// kilns are two memories of one fact in other words, and another one.
func kilns() map[string]string {
	return map[string]string{"areas/kiln.html": claim(kilnClaim, 1), "areas/oven.html": claim(ovenClaim, 2), "areas/berth.html": claim(berthClaim, 3)}
}

// modelled is a root whose embedder is a server, and the changes that it told of.
type modelled struct {
	*fixture
	server *fakemodel.Server

	mu      sync.Mutex // guards changes
	changes []Change
}

func newModelled(t *testing.T, files map[string]string, setting string) *modelled {
	t.Helper()
	m := &modelled{fixture: newRepository(t, files), server: fakemodel.Start()}
	t.Cleanup(m.server.Close)
	m.server.Near(0.95, kilnClaim, ovenClaim)
	text := fmt.Sprintf(`{"embedder": {"use": "ollama", "url": %q, "model": "m"%s}}`, m.server.URL, setting)
	root, err := Open(t.Context(), m.dir, Options{User: own(t, text), Model: true, OnChange: func(c Change) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changes = append(m.changes, c)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	if err := root.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	m.root = root
	return m
}

// told are the affected paths of the changes since it was last asked.
func (m *modelled) told() [][]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var paths [][]string
	for _, c := range m.changes {
		paths = append(paths, c.Affected)
	}
	m.changes = nil
	return paths
}

// near are the neighbours of a file in the current View.
func (m *modelled) near(path string) (paths []string) {
	view := m.root.View()
	for _, n := range m.root.model.neighbours(view, view.Snapshot.File(path)) {
		paths = append(paths, fmt.Sprintf("%s %.2f", n.Path, n.Cosine))
	}
	return paths
}

func (m *modelled) coverage(want Coverage, why string) {
	m.t.Helper()
	if near := m.root.View().Near(); near.Coverage != want || !strings.Contains(near.Why, why) {
		m.t.Errorf("%+v, want %s, %s", near, want, why)
	}
}

func TestModelPutsMemoriesTogether(t *testing.T) {
	m := newModelled(t, kilns(), "")
	m.coverage(Unchecked, "not answered yet")
	m.root.EmbedAll(t.Context(), nil)
	m.coverage(Meaning, "")
	if diff := cmp.Diff([]string{"areas/oven.html 0.95"}, m.near("areas/kiln.html")); diff != "" {
		t.Error(diff)
	}
	if got := m.near("areas/berth.html"); got != nil {
		t.Errorf("%q", got)
	}
	// Equal texts are embedded once, and a body is no part of a claim.
	asked := slices.Sorted(slices.Values(m.server.Asked()))
	if diff := cmp.Diff([]string{berthClaim, kilnClaim, ovenClaim}, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	m.write("areas/kiln.html", strings.Replace(claim(kilnClaim, 1), "</article>", "<p>It is hot.</p></article>", 1))
	m.root.Modify(Modification{Kind: Touched, Path: "areas/kiln.html"})
	m.root.EmbedAll(t.Context(), nil)
	if n := len(m.server.Asked()); n != 3 {
		t.Errorf("%d texts asked for", n)
	}
}

// TestVectorsOutliveTheProcess: what was paid for is not asked for again.
func TestVectorsOutliveTheProcess(t *testing.T) {
	m := newModelled(t, kilns(), "")
	m.root.EmbedAll(t.Context(), nil)
	options := m.root.options
	if err := m.root.Close(); err != nil {
		t.Fatal(err)
	}
	m.server.Answer(http.StatusInternalServerError)
	root, err := Open(t.Context(), m.dir, options)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	m.root = root
	m.root.EmbedAll(t.Context(), nil)
	m.coverage(Meaning, "")
	if diff := cmp.Diff([]string{"areas/oven.html 0.95"}, m.near("areas/kiln.html")); diff != "" {
		t.Error(diff)
	}
}

// TestModelFollowsChanges: a memory that says something else now, or is archived,
// is nobody's neighbour, and both sides are looked at again.
func TestModelFollowsChanges(t *testing.T) {
	m := newModelled(t, kilns(), "")
	m.root.EmbedAll(t.Context(), nil)
	m.told()
	m.write("areas/oven.html", claim("The gate is locked at nine.", 2))
	m.root.Modify(Modification{Kind: Touched, Path: "areas/oven.html"})
	if diff := cmp.Diff([][]string{{"areas/kiln.html", "areas/oven.html"}}, m.told()); diff != "" {
		t.Errorf("affected (-want +got):\n%s", diff)
	}
	if got := m.near("areas/kiln.html"); got != nil {
		t.Errorf("%q", got)
	}
	m.write("areas/oven.html", claim(ovenClaim, 2))
	m.root.Modify(Modification{Kind: Touched, Path: "areas/oven.html"})
	m.told()
	m.root.EmbedAll(t.Context(), nil)
	if diff := cmp.Diff([][]string{{"areas/kiln.html", "areas/oven.html"}}, m.told()); diff != "" {
		t.Errorf("affected by the vector (-want +got):\n%s", diff)
	}
	m.remove("areas/oven.html")
	m.root.Modify(Modification{Kind: Touched, Path: "areas/oven.html"})
	if got := m.near("areas/kiln.html"); got != nil {
		t.Errorf("%q", got)
	}
}

// TestNothingIsSentWhileABufferIsDirty, not even what others have saved.
func TestNothingIsSentWhileABufferIsDirty(t *testing.T) {
	m := newModelled(t, kilns(), "")
	m.root.Edit(Modification{Kind: Opened, Path: "areas/kiln.html", Text: []byte(m.read("areas/kiln.html")), Version: 1})
	m.root.Edit(Modification{Kind: Changed, Path: "areas/kiln.html", Text: []byte(claim("The kiln is private.", 1)), Version: 2})
	m.root.EmbedAll(t.Context(), nil)
	if asked := m.server.Asked(); len(asked) > 0 {
		t.Errorf("asked for %q", asked)
	}
	m.coverage(Unchecked, "not answered yet")
	m.write("areas/kiln.html", claim("The kiln is private.", 1))
	m.root.Modify(Modification{Kind: Saved, Path: "areas/kiln.html"})
	m.root.EmbedAll(t.Context(), nil)
	m.coverage(Meaning, "")
	if asked := m.server.Asked(); !slices.Contains(asked, "The kiln is private.") || len(asked) != 3 {
		t.Errorf("asked for %q", asked)
	}
}

// TestModelFailsAndRecovers by itself; both are told, the open files before the
// others.
func TestModelFailsAndRecovers(t *testing.T) {
	m := newModelled(t, kilns(), "")
	m.root.EmbedAll(t.Context(), nil)
	m.root.Edit(Modification{Kind: Opened, Path: "areas/oven.html", Text: []byte(m.read("areas/oven.html")), Version: 1})
	m.told()
	m.server.Answer(http.StatusUnauthorized)
	m.write("areas/new.html", claim("The gate is locked at nine.", 4))
	m.root.Modify(Modification{Kind: Touched, Path: "areas/new.html"})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); m.root.FollowModel(ctx) }()
	defer func() { stop(); <-done }()
	eventually(t, "it fails", func() bool { return m.root.View().Near().Coverage == Unchecked })
	m.coverage(Unchecked, "refuses the key")
	if diff := cmp.Diff([][]string{{"areas/new.html"}, {"areas/oven.html"}, {"areas/kiln.html"}}, m.told()); diff != "" {
		t.Errorf("told of the failure (-want +got):\n%s", diff)
	}
	m.server.Answer(http.StatusOK)
	eventually(t, "it works", func() bool { return m.root.View().Near().Coverage == Meaning })
	eventually(t, "all is told", func() bool { m.mu.Lock(); defer m.mu.Unlock(); return len(m.changes) == 2 })
	if diff := cmp.Diff([][]string{{"areas/oven.html"}, {"areas/kiln.html", "areas/new.html"}}, m.told()); diff != "" {
		t.Errorf("told of the recovery (-want +got):\n%s", diff)
	}
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so: %s", what)
		}
	}
}

// TestWrongSettingsAreNoDefault: a model that cannot be used is not the wording.
func TestWrongSettingsAreNoDefault(t *testing.T) {
	m := newModelled(t, kilns(), `, "url": "nowhere"`)
	m.root.EmbedAll(t.Context(), nil)
	m.coverage(Unchecked, "embedder.url")
	if got := newFixture(t, kilns()).root.View().Near(); got != (NearState{Embedder: "lexnorm-v1", Coverage: Wording}) {
		t.Errorf("without a model: %+v", got)
	}
}

// TestRepositoryNamesNoModel, whatever its settings say.
func TestRepositoryNamesNoModel(t *testing.T) {
	server := fakemodel.Start()
	defer server.Close()
	files := kilns()
	files[repositorySettings] = fmt.Sprintf(`{"embedder": {"use": "ollama", "url": %q, "model": "m"}}`, server.URL)
	f := newFixture(t, files)
	f.root.EmbedAll(t.Context(), nil)
	if got := f.root.View().Near(); got.Coverage != Wording || len(server.Asked()) > 0 {
		t.Errorf("%+v, asked for %q", got, server.Asked())
	}
}

// A command that asks nothing of a model kept an account of every claim for it.
func TestAModelThatNobodyAsksCostsNothing(t *testing.T) {
	m := newModelled(t, kilns(), "")
	options := m.root.options
	options.Model = false
	root, err := Open(t.Context(), m.dir, options)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if root.model != nil {
		t.Error("there is a model")
	}
}

package session

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/settings"
)

// claimMoves are the claims that files had or have since the last comparison of
// claims. They are gathered once somebody follows them.
type claimMoves struct {
	followed bool
	claims   map[string]bool
	// comparing is how many have been taken out and are being compared.
	comparing int
	// wake holds a token when there may be some.
	wake chan struct{}
}

// note gathers the claims of files that were changed on disk. Caller holds r.mu.
func (m *claimMoves) note(old *index.Snapshot, disk map[string]*index.File) {
	if !m.followed {
		return
	}
	for path, now := range disk {
		for _, file := range []*index.File{old.Disk(path), now} {
			if file != nil && file.Compared() {
				m.claims[file.Gist] = true
			}
		}
	}
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// byWording reports whether near-duplicates are looked for by what is built in.
// Where the person has chosen a model, its answers are not mixed with others.
func (r *Root) byWording() bool { return r.View().near.Coverage == Wording }

// wordingState is how near-duplicates are looked for without a model. A model that
// the person has chosen is not replaced by the wording.
func wordingState(s settings.Embedder) NearState {
	if s.Use != "wording" {
		return NearState{
			Embedder: s.Use, Coverage: Unchecked,
			Why: "This version looks for near-duplicates by their wording alone, and the settings name another embedder.",
		}
	}
	return NearState{Embedder: embed.Lexnorm{}.ID(), Coverage: Wording}
}

// nearState is how near-duplicates are looked for at this moment.
func (r *Root) nearState() NearState {
	r.mu.Lock()
	defer r.mu.Unlock()
	view := r.View()
	state := view.near
	switch {
	case state.Embedder != embed.Lexnorm{}.ID():
	case view.Snapshot.Near() == nil:
		state.Missing = view.Snapshot.Claims()
	default:
		state.Missing = len(r.moves.claims) + r.moves.comparing
	}
	return state
}

// CompareClaims compares the claims of all saved memories, so that a View knows
// near-duplicates; without it none has them. It comes after the first Index. What
// the last run found is taken from the database. It does nothing where the settings
// name a model. cores is on how many processors it works, 0 for all; progress may be
// nil. The error is Cancelled when ctx ends.
func (r *Root) CompareClaims(ctx context.Context, cores int, progress func(done, total int)) error {
	if !r.byWording() {
		return nil
	}
	r.mu.Lock()
	r.moves.followed = true
	r.mu.Unlock()
	saved := r.cache.near(ctx)
	snapshot, changed, err := r.View().Snapshot.CompareClaims(ctx, saved, index.Work{Cores: cores, Progress: progress})
	if err != nil {
		return err
	}
	r.installNear(snapshot.Near(), changed)
	r.cache.keepNear(snapshot.Near(), saved)
	return nil
}

// FollowClaims compares the claims that change after CompareClaims, until ctx ends.
func (r *Root) FollowClaims(ctx context.Context, cores int) {
	compared := r.View().Snapshot.Near()
	if compared == nil {
		return
	}
	for {
		select {
		case <-ctx.Done():
			if near := r.View().Snapshot.Near(); near != compared {
				r.cache.keepNear(near, nil)
			}
			return
		case <-r.moves.wake:
		}
		r.compareMoved(ctx, cores)
	}
}

// compareMoved brings the comparison up to what files say by now.
func (r *Root) compareMoved(ctx context.Context, cores int) {
	r.mu.Lock()
	claims := r.moves.claims
	r.moves.claims, r.moves.comparing = map[string]bool{}, len(claims)
	snapshot := r.View().Snapshot
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.moves.comparing = 0
	}()
	var add, remove []string
	for claim := range claims {
		switch wanted, known := snapshot.WantsNear(claim), snapshot.Near().Has(claim); {
		case wanted && !known:
			add = append(add, claim)
		case known && !wanted:
			remove = append(remove, claim)
		}
	}
	if len(add)+len(remove) == 0 {
		return
	}
	slices.Sort(add)
	slices.Sort(remove)
	near, changed, err := snapshot.Near().Change(ctx, add, remove, index.Work{Cores: cores})
	if err == nil {
		r.installNear(near, changed)
	}
}

// installNear makes a View with a comparison, in which the files with claims that
// have other neighbours are judged again.
func (r *Root) installNear(near *index.Near, changed []string) {
	// They may be as many as there are files, so that they are looked for before
	// the lock, which a key that is pressed waits for.
	before := r.View().Snapshot
	affected := withClaims(before, changed)
	r.mu.Lock()
	defer r.mu.Unlock()
	next := *r.View()
	if next.Snapshot != before {
		affected = withClaims(next.Snapshot, changed)
	}
	next.Snapshot = next.Snapshot.WithNear(near)
	r.view.Store(&next)
	r.tell(Change{View: &next, Affected: merged(affected, slices.Sorted(maps.Keys(next.buffers)))})
}

// withClaims are the paths of the files that have one of the claims, sorted.
func withClaims(snapshot *index.Snapshot, claims []string) (paths []string) {
	for _, claim := range claims {
		for file := range snapshot.ClaimHolders(claim) {
			paths = append(paths, file.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// near is what the last run has kept of its comparison, or nil.
func (c *cache) near(ctx context.Context) []byte {
	db := c.handle()
	if db == nil {
		return nil
	}
	saved, err := db.Near(ctx)
	if err != nil {
		c.log.Warn("read the compared claims", "err", err)
	}
	return saved
}

// keepNear keeps a comparison with the next write, unless it is what was saved.
func (c *cache) keepNear(near *index.Near, saved []byte) {
	if saved == nil || !bytes.Equal(saved, near.Save()) {
		c.change(func() { c.compared = near })
	}
}

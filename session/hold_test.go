package session

import (
	"context"
	"testing"
	"time"
)

// The disk is left alone while git is at work on it, and not for ever.
func TestHold(t *testing.T) {
	type moment struct {
		after time.Duration
		do    func(f *fixture)
		want  bool
	}
	lock := func(f *fixture) { f.write(".git/index.lock", "") }
	unlock := func(f *fixture) { f.remove(".git/index.lock") }
	commit := func(f *fixture) { f.git("commit", "-q", "--allow-empty", "-m", "x") }
	merging := func(f *fixture) { f.write(".git/rebase-merge/quiet", "") }
	nothing := func(*fixture) {}
	tests := map[string][]moment{
		"nothing moves": {{time.Hour, nothing, false}},
		"git holds the index": {
			{0, lock, true},
			{holdLimit - 1, nothing, true},
			{0, unlock, false},
		},
		"the index moves last": {
			{0, commit, true}, {gitQuiet - 1, nothing, true}, {1, nothing, false},
		},
		"a killed git left its lock": {
			{0, lock, true},
			{holdLimit, nothing, false},
			{1, nothing, false},
			{time.Hour, nothing, false},
			{0, unlock, false},
			{0, lock, true},
		},
		"a rebase goes on and on": {
			{0, merging, false},
			{0, commit, true},
			{operationQuiet - 1, nothing, true},
			{0, commit, true},
			{operationQuiet - 1, nothing, true},
			{holdLimit, commit, false},
			{1, nothing, true},
		},
		"a merge waits for the person": {
			{0, merging, false}, {0, commit, true}, {operationQuiet, nothing, false}, {time.Hour, nothing, false},
		},
	}
	for name, moments := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil)
			now := time.Now()
			var h hold
			h.on(context.Background(), f.root.repo, now)
			now = now.Add(time.Hour)
			h.on(context.Background(), f.root.repo, now)
			for i, m := range moments {
				m.do(f)
				now = now.Add(m.after)
				if got := h.on(context.Background(), f.root.repo, now); got != m.want {
					t.Errorf("moment %d: held is %v, want %v", i, got, m.want)
				}
			}
		})
	}
}

// The first word is taken at once, a torrent of them and all while git is at work
// as one change.
func TestAnnounce(t *testing.T) {
	f := newFixture(t, pools())
	a := &f.root.announced
	say := func(want bool, path string) {
		t.Helper()
		if got := f.root.Announce([]string{path}); got != want {
			t.Errorf("%s enters at once: %v, want %v", path, got, want)
		}
	}
	say(true, pool)
	if wait := a.wait(time.Now()); wait != 0 {
		t.Errorf("waits %v for nothing", wait)
	}
	say(false, pool)
	say(false, other)
	a.mu.Lock()
	last := a.last
	a.mu.Unlock()
	if wait := a.wait(last); wait != announceQuiet {
		t.Errorf("waits %v after the last word", wait)
	}
	if wait := a.wait(last.Add(announceLimit)); wait > 0 {
		t.Errorf("waits %v more than it may", wait)
	}
	for folder, stat := range f.root.folders {
		stat.Seen += int64(time.Minute)
		f.root.folders[folder] = stat
	}
	f.write(pool, claim("Something else", 1))
	f.write(third, claim("Nobody said a word of this", 1))
	f.look()
	f.want("what was announced entered, although it was written in place")
	if got := f.root.View().Snapshot.File(third).Gist; got != "Drain a node before it is stopped" {
		t.Errorf("what nobody announced is %q", got)
	}
	if left := a.take(); len(left) != 0 {
		t.Errorf("%q wait on", left)
	}

	a.mu.Lock()
	a.last = time.Time{}
	a.mu.Unlock()
	f.write(".git/index.lock", "")
	say(false, pool)
}

package session

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// waitingContext tells when somebody begins to wait for its end, which a command
// does first when another one is writing.
type waitingContext struct {
	context.Context
	once    sync.Once
	waiting chan struct{}
}

func (w *waitingContext) Done() <-chan struct{} {
	w.once.Do(func() { close(w.waiting) })
	return w.Context.Done()
}

// A file was archived although its buffer became dirty, or its bytes others,
// while the command waited for another one to finish.
func TestChangesWhileACommandWaitsForTheLock(t *testing.T) {
	commands := map[string]func(r *Root, ctx context.Context) error{
		"archive": func(r *Root, ctx context.Context) error {
			_, err := r.Archive(ctx, ArchiveRequest{Path: other, Expect: r.expected(other)})
			return err
		},
		"supersede": func(r *Root, ctx context.Context) error {
			_, err := r.Supersede(ctx, SupersedeRequest{Winner: pool, Loser: other, Expect: r.expected(other)})
			return err
		},
	}
	changes := []struct {
		name   string
		change func(f *fixture)
		want   failure.Code
	}{
		{"typed", func(f *fixture) {
			f.root.Edit(Modification{Kind: Changed, Path: other, Text: []byte("typed"), Version: 2})
		}, failure.DirtyDocument},
		{"typed and undone", func(f *fixture) {
			f.root.Edit(Modification{Kind: Changed, Path: other, Text: []byte(f.read(other)), Version: 3})
		}, failure.StaleDocument},
		{"closed", func(f *fixture) { f.root.Edit(Modification{Kind: Closed, Path: other}) }, failure.StaleDocument},
		{"written", func(f *fixture) {
			f.root.Edit(Modification{Kind: Closed, Path: other})
			f.write(other, claim("Something else", 3))
			f.root.Edit(Modification{Kind: Opened, Path: other, Text: []byte(f.read(other)), Version: 1})
		}, failure.WriteConflict},
	}
	for name, command := range commands {
		for _, test := range changes {
			t.Run(name+" "+test.name, func(t *testing.T) {
				f := newFixture(t, pools())
				f.root.Edit(Modification{Kind: Opened, Path: other, Text: []byte(f.read(other)), Version: 1})
				ctx := &waitingContext{Context: context.Background(), waiting: make(chan struct{})}
				answer := make(chan error, 1)
				var before string
				err := f.root.exclusive(context.Background(), func(func(store.Plan) (Done, error)) error {
					go func() { answer <- command(f.root, ctx) }()
					<-ctx.waiting
					test.change(f)
					before = f.state()
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := <-answer; failure.CodeOf(err) != test.want {
					t.Errorf("error %v with code %s, want %s", err, failure.CodeOf(err), test.want)
				}
				if diff := cmp.Diff(before, f.state()); diff != "" {
					t.Errorf("changed (-before +after)\n%s", diff)
				}
			})
		}
	}
}

// expected is what a code action would expect of a path at this moment.
func (r *Root) expected(path string) Expectations {
	expect, _, _ := r.View().expectations([]string{path})
	return expect
}

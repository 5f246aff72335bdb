package lsp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
)

// progressTick is how often progress is told: four times a second at most.
const progressTick = 250 * time.Millisecond

// tokens numbers the progress tokens of this process.
var tokens atomic.Int64

// task is work on a root that takes a while: it counts the files that are done.
type task struct {
	title string
	// told is called whenever progress was told, nil for nothing.
	told        func()
	done, total atomic.Int64
}

// update says how far the work is.
func (t *task) update(done, total int) {
	t.done.Store(int64(done))
	t.total.Store(int64(total))
}

// announce tells the person about a task once it has taken a while. The returned
// function ends the announcement, with the task's error.
func (s *server) announce(ctx context.Context, t *task) (end func(error)) {
	finished, told := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(told)
		defer recovered(s.log, "progress")
		s.tellProgress(ctx, t, finished)
	}()
	return func(err error) {
		finished <- err
		<-told
	}
}

// tellProgress is the goroutine of announce.
func (s *server) tellProgress(ctx context.Context, t *task, finished <-chan error) {
	select {
	case <-finished:
		return
	case <-time.After(s.options.ProgressAfter):
	}
	p := s.beginProgress(ctx, "memhtml: "+t.title)
	ticker := time.NewTicker(progressTick)
	defer ticker.Stop()
	for {
		select {
		case err := <-finished:
			p.end(ending(err))
			return
		case <-ticker.C:
			p.report(t.done.Load(), t.total.Load())
			if t.told != nil {
				t.told()
			}
		}
	}
}

func ending(err error) string {
	if err != nil {
		return "Not done; the log has the details."
	}
	return "Done."
}

// progress is one item of work that the client shows; nil shows nothing.
type progress struct {
	client *client
	token  protocol.ProgressToken
}

// beginProgress starts an item, unless the client has none or says no.
func (s *server) beginProgress(ctx context.Context, title string) *progress {
	if !s.capabilities.progress {
		return nil
	}
	token := protocol.String(fmt.Sprintf("memhtml-%d", tokens.Add(1)))
	params := &protocol.WorkDoneProgressCreateParams{Token: token}
	if err := s.client.call(ctx, protocol.MethodWindowWorkDoneProgressCreate, params, nil); err != nil {
		return nil
	}
	s.client.progress(token, &protocol.WorkDoneProgressBegin{
		Kind: "begin", Title: title, Cancellable: ptr(false), Percentage: ptr(uint32(0)),
	})
	return &progress{s.client, token}
}

// report tells how far the work is.
func (p *progress) report(done, total int64) {
	if p == nil || total == 0 {
		return
	}
	p.client.progress(p.token, &protocol.WorkDoneProgressReport{
		Kind:       "report",
		Message:    ptr(fmt.Sprintf("%d/%d files", done, total)),
		Percentage: ptr(uint32(min(done*100/total, 100))),
	})
}

// end takes the item away.
func (p *progress) end(message string) {
	if p == nil {
		return
	}
	p.client.progress(p.token, &protocol.WorkDoneProgressEnd{Kind: "end", Message: ptr(message)})
}

// statusParams are the params of memhtml/status.
type statusParams struct {
	Root  string `json:"root"`
	State string `json:"state"`
	Done  int64  `json:"done"`
	Total int64  `json:"total"`
	// LeftOut is how many files of all roots have findings that are not shown,
	// absent when none has.
	LeftOut int64 `json:"leftOut,omitempty"`
	// Commits is why nothing can be committed here, absent when it can.
	Commits string `json:"commits,omitempty"`
}

// status tells a client that asked for it what a root is doing: "indexing",
// "writing" or "idle". It is the meter; messages never are.
func (s *server) status(r *root, state string) {
	if !s.capabilities.status {
		return
	}
	s.statusSending.Lock()
	defer s.statusSending.Unlock()
	s.client.notify("memhtml/status", rawJSON(statusParams{
		Root: string(s.names.of(r.Dir())), State: state,
		Done: r.indexing.done.Load(), Total: r.indexing.total.Load(), Commits: r.NoCommits(),
		LeftOut: s.leftOut.Load(),
	}))
}

// statusOfAll sends the status of every root that is idle.
func (s *server) statusOfAll() {
	s.mu.Lock()
	roots := slices.Collect(maps.Values(s.roots))
	s.mu.Unlock()
	for _, r := range roots {
		if isReady(r) {
			s.status(r, "idle")
		}
	}
}

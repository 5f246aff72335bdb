package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// Expectation is what the requester saw of a file. A command re-checks it
// before anything is touched (design.md §3.4).
type Expectation struct {
	// Hash is the SHA-256 of the file's bytes; nil expects nothing.
	Hash *memory.Hash
	// Version is the document version of an open buffer; nil expects nothing.
	Version *int32
}

// Expectations are keyed by root-relative path.
type Expectations map[string]Expectation

// ArchiveRequest asks to move one memory into the archive.
type ArchiveRequest struct {
	Path   string
	Reason string
	// SessionID and PromptID say on whose behalf (M110).
	SessionID, PromptID string
	Expect              Expectations
}

// SupersedeRequest asks to archive Loser because Winner says what holds.
type SupersedeRequest struct {
	Winner, Loser       string
	SessionID, PromptID string
	Expect              Expectations
}

// Done is what every command result starts with: success is a commit id
// (design.md §8).
type Done struct {
	// Commit is the id of the commit, nil when there was nothing to do and the
	// commit that did it is not known.
	Commit *string `json:"commit"`
	// At is the instant of the operation, UTC seconds with Z.
	At string `json:"at"`
	// Already says that the asked-for state was there before.
	Already bool `json:"already,omitempty"`
	// Warnings are things to know although it is done.
	Warnings []string `json:"warnings,omitempty"`
	// Dangling is nil when the commit took no path away, and when nobody looked.
	*Dangling
}

// Made is the id of the commit that was made, "" when none was.
func (d Done) Made() string {
	if d.Commit == nil || d.Already {
		return ""
	}
	return *d.Commit
}

// ArchiveResult is the data of "archive.result".
type ArchiveResult struct {
	Done
	Path        string `json:"path"`
	ArchivePath string `json:"archivePath"`
}

// SupersedeResult is the data of "supersede.result".
type SupersedeResult struct {
	Done
	Archived []Superseded `json:"archived"`
}

// Superseded is one pair of a SupersedeResult.
type Superseded struct {
	Loser       string `json:"loser"`
	Winner      string `json:"winner"`
	ArchivePath string `json:"archivePath"`
	// Already says that this pair was superseded before, where not all were.
	Already bool `json:"already,omitempty"`
}

// endpoint is one file a command names: its saved bytes, read once and
// checked, so that the plan, the stamps and the expectation come from the same
// bytes.
type endpoint struct {
	path   string
	source []byte
	hash   memory.Hash
}

// readEndpoint reads a named memory and refuses what no command may touch: a
// path that is not a memory's, an archived one, a dirty buffer, bytes or a
// version other than expected, an unfinished merge.
func (r *Root) readEndpoint(path string, expect Expectations) (*endpoint, error) {
	if !memory.IsMemoryPath(path) {
		return nil, failure.New(failure.PathNotFound, "%s is not the path of a memory.", diagnostics.Shown(path)).
			Suggest("Name an .html file below projects/, areas/ or resources/.")
	}
	if memory.IsArchived(path) {
		if _, err := r.readFile(path); isMissing(err) {
			return nil, err
		}
		return nil, failure.New(failure.InvalidMemory, "%s is in the archive already.", diagnostics.Shown(path)).
			Suggest("What is archived stays as it is: write what holds as a new memory, or undo the commit that archived it.")
	}
	e, err := r.readChecked(path, expect)
	if err != nil {
		return nil, r.superseded(path, err)
	}
	if _, unsettled := memory.MergeMarkers(e.source); unsettled {
		return nil, failure.New(failure.GitState, "%s holds an unfinished merge.", diagnostics.Shown(path)).
			Suggest("Keep one side of each conflict, save the file and try again.")
	}
	return e, nil
}

// readChecked reads a file and refuses a dirty buffer, and bytes or a version
// other than expected.
func (r *Root) readChecked(path string, expect Expectations) (*endpoint, error) {
	source, err := r.readFile(path)
	if err != nil {
		return nil, err
	}
	e := &endpoint{path: path, source: source, hash: hashBytes(source)}
	if err := r.checkBuffer(e, expect[path]); err != nil {
		return nil, err
	}
	if want := expect[path].Hash; want != nil && *want != e.hash {
		return nil, conflict(e, *want)
	}
	return e, nil
}

// checkBuffer refuses unsaved changes (D3: the buffer's bytes differ from the
// file's) and a version that moved on. A document that was closed since has no
// version any more.
func (r *Root) checkBuffer(e *endpoint, expect Expectation) error {
	buffer := r.View().buffers[e.path]
	if buffer != nil && !buffer.isTextOf(e.source) {
		return dirty(e.path)
	}
	if expect.Version != nil && (buffer == nil || *expect.Version != buffer.version) {
		return failure.New(failure.StaleDocument, "%s has changed since this was offered.", diagnostics.Shown(e.path)).
			Suggest("Ask for the actions again.")
	}
	return nil
}

func dirty(path string) error {
	return failure.New(failure.DirtyDocument, "%s has unsaved changes.", diagnostics.Shown(path)).
		Suggest("Save it and try again.")
}

// checkRest checks what is expected of files that a command does not name, such
// as the copy that is kept when the other one is archived.
func (r *Root) checkRest(expect Expectations, named ...string) error {
	for _, path := range slices.Sorted(maps.Keys(expect)) {
		if slices.Contains(named, path) {
			continue
		}
		if _, err := r.readChecked(path, expect); err != nil {
			return err
		}
	}
	return nil
}

func conflict(e *endpoint, want memory.Hash) error {
	refused := failure.New(failure.WriteConflict, "%s is not the version that was expected.", diagnostics.Shown(e.path)).
		Suggest("Look at the file as it is now and try again.")
	refused.Data = map[string]string{"path": e.path, "expected": want.String(), "actual": e.hash.String()}
	return refused
}

// parse refuses an endpoint that the format does not accept.
func (e *endpoint) parse() (*memory.Document, error) {
	doc := memory.Parse(e.source)
	if !doc.Accepted() {
		return nil, failure.New(failure.InvalidMemory, "%s has format errors (first: %s).", diagnostics.Shown(e.path), doc.Violations[0].Code).
			Suggest("Mend the file and try again.")
	}
	if doc.Metas.Type == "task" {
		return nil, failure.New(failure.InvalidMemory, "%s is a task; tasks are not superseded.", diagnostics.Shown(e.path)).
			Suggest("Archive the task instead.")
	}
	return doc, nil
}

// done lets a commit enter the funnel and says so. What is committed must not be
// lost to a cancelled request.
func (r *Root) done(ctx context.Context, plan store.Plan, result store.Result) Done {
	r.committed(context.WithoutCancel(ctx), plan.Paths())
	done := Done{Commit: &result.Commit, At: memory.Stamp(plan.At), Warnings: result.Warnings, Dangling: r.dangling(plan)}
	if len(result.Uncommitted) > 0 {
		done.Warnings = append(done.Warnings, tookIn(result.Uncommitted))
	}
	return done
}

// mostNamed is how many files a sentence names at most.
const mostNamed = 3

// tookIn says which files were committed with what no commit had of them (D18).
func tookIn(paths []string) string {
	return "This commit has changes that were in no commit before: " + someOf(paths) + "."
}

// someOf names a few paths, and how many more there are.
func someOf(paths []string) string {
	var named []string
	for _, path := range paths[:min(mostNamed, len(paths))] {
		named = append(named, diagnostics.Shown(path))
	}
	text := strings.Join(named, ", ")
	if more := len(paths) - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// now is the one instant of an operation, to the second as it is written.
func (r *Root) now() time.Time { return r.options.Now().UTC().Truncate(time.Second) }

// today is the UTC day that findings are made for.
func (r *Root) today() string { return r.now().Format(time.DateOnly) }

// isMissing tells "the named file is not there" from every other failure.
func isMissing(err error) bool {
	var known *failure.Error
	return errors.As(err, &known) && known.Code == failure.PathNotFound
}

// logSaid logs what a hook, or git when it was to sign, has said: it is the only
// answer that can hold anything, and nobody else is shown it.
func (r *Root) logSaid(err error) {
	var refused *failure.Error
	if !errors.As(err, &refused) || refused.Err == nil {
		return
	}
	if refused.Code == failure.HookRefused || refused.Code == failure.Signing {
		r.log.Error("the commit was refused", "err", refused.Err)
	}
}

// moveTries is how often a command decides anew because other git commands made
// commits in the middle of it.
const moveTries = 20

// exclusive runs a command that decides by what it reads while no other process
// of ours writes (D1: it waits for its turn). commit makes the commit of a plan
// and lets it enter the funnel. Git itself waits for nobody: when its commits
// were faster, work runs again from the start, and must not build on what it
// left behind.
func (r *Root) exclusive(ctx context.Context, work func(commit func(store.Plan) (Done, error)) error) error {
	repo, err := r.repository()
	if err != nil {
		return err
	}
	return repo.Exclusive(ctx, func(commit func(store.Plan) (store.Result, error)) (err error) {
		committed := false
		for range moveTries {
			err = work(func(plan store.Plan) (Done, error) {
				result, err := commit(plan)
				if err != nil {
					r.logSaid(err)
					return Done{}, err
				}
				committed = true
				return r.done(ctx, plan, result), nil
			})
			if committed || !errors.Is(err, store.ErrMoved) {
				break
			}
		}
		return err
	})
}

// reasonBody is a reason as the body of a commit message: one line, and none
// that git would read as a trailer, which only a command itself may write.
func reasonBody(reason string) string {
	flat := strings.Join(strings.Fields(reason), " ")
	if trailerStart().MatchString(flat) {
		return " " + flat
	}
	return flat
}

var trailerStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]+ ?:`) })

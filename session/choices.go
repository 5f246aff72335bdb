package session

import (
	"context"
	"fmt"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// choices are the commits on offer for one memory: about each relation it is
// in, on whichever side, then correcting and archiving it.
func (v *View) choices(path string, claim memory.Span) []Action {
	if memory.IsArchived(path) || !memory.IsMemoryPath(path) {
		return nil
	}
	file := v.Snapshot.File(path)
	if file == nil {
		return nil // what is left of it is a tab of an editor
	}
	var actions []Action
	for _, pair := range diagnostics.Pairs(v.Snapshot, file) {
		actions = append(actions, v.relationActions(path, claim, pair)...)
	}
	if file.Eligible() {
		actions = append(actions, v.corrections(path, claim)...)
	}
	archive := Action{Title: "Archive this memory", Kind: KindArchive, Span: claim, Ask: AskReason}
	return append(actions, v.commit(archive, ArchiveRequest{Path: path}, path))
}

// corrections are the ways to say that a claim does not hold any more.
func (v *View) corrections(path string, claim memory.Span) []Action {
	var actions []Action
	if v.claimEdited(path) {
		edited := Action{Title: "Commit this edit as a correction", Kind: KindCorrect, Span: claim, Ask: AskReason}
		actions = append(actions, v.commit(edited, CorrectFromEditRequest{Path: path}, path))
	}
	correct := Action{Title: "Correct this memory", Kind: KindCorrect, Span: claim, Ask: AskClaim, MustAsk: true, Claim: v.Snapshot.File(path).Gist}
	return append(actions, v.commit(correct, CorrectRequest{Target: path}, path))
}

// claimEdited reports whether the saved claim of a file is another than that of
// the last commit.
func (v *View) claimEdited(path string) bool {
	saved := v.Snapshot.Disk(path)
	if saved == nil || !saved.Tracked || !saved.Eligible() {
		return false
	}
	committed := v.root.committedFile(path)
	return committed != nil && committed.Blob != saved.Blob && committed.Eligible() && committed.Gist != saved.Gist
}

// committedFile is what the last commit says of a path, nil when it says
// nothing that can be read. The last answer is kept, since a cursor stays in one
// file for a while.
func (r *Root) committedFile(path string) *index.File {
	if r.repo == nil {
		return nil
	}
	head, err := r.repo.Head(context.Background())
	if err != nil {
		return nil
	}
	if last := r.committedLast.Load(); last != nil && last.head == head.Commit && last.path == path {
		return last.file
	}
	answer := &committedAnswer{head: head.Commit, path: path}
	if blob, ok, err := r.repo.BlobAt(head.Commit, path); err == nil && ok {
		if source, err := r.repo.ReadBlob(blob.ID); err == nil {
			answer.file = index.NewFile(path, source)
		}
	}
	r.committedLast.Store(answer)
	return answer.file
}

// committedAnswer is one answer of committedFile.
type committedAnswer struct {
	head, path string
	file       *index.File
}

// relationActions are the choices about one pair, seen from path.
func (v *View) relationActions(path string, claim memory.Span, pair diagnostics.Pair) []Action {
	other := pair.Incumbent.Path
	reports := pair.Reporter.Path == path
	if !reports {
		other = pair.Reporter.Path
	}
	base := Action{Kind: KindFix, Code: pair.Code, Span: claim}
	var actions []Action
	if isDuplicate(pair.Code) {
		archive := base
		archive.Title = fmt.Sprintf("Archive this copy, keep %s", diagnostics.Shown(other))
		archive.Preferred = reports && pair.Code == diagnostics.Duplicate
		archive = v.commit(archive, ArchiveRequest{Path: path, Reason: "duplicate of " + other}, path, other)
		archive.Preferred = archive.Preferred && archive.Disabled == ""
		actions = append(actions, archive)
	}
	wins, loses := base, base
	wins.Title = fmt.Sprintf("This supersedes %s", diagnostics.Shown(other))
	loses.Title = fmt.Sprintf("%s supersedes this", diagnostics.Shown(other))
	actions = append(actions,
		v.commit(wins, SupersedeRequest{Winner: path, Loser: other}, path, other),
		v.commit(loses, SupersedeRequest{Winner: other, Loser: path}, path, other))
	if isDuplicate(pair.Code) || pair.Code == diagnostics.FrameKeyRestatement || pair.Code == diagnostics.NearDuplicate {
		actions = append(actions, v.mergeAction(base, path, other, pair))
	}
	actions = append(actions, v.keepActions(base, path, other, pair)...)
	compare := base
	compare.Title, compare.Request = fmt.Sprintf("Compare with %s", diagnostics.Shown(other)), CompareRequest{Path: path, Other: other}
	return append(actions, compare)
}

func isDuplicate(code diagnostics.Code) bool {
	return code == diagnostics.Duplicate || code == diagnostics.DuplicateNormalized
}

// mergeAction keeps the older of two memories that say the same (M83).
func (v *View) mergeAction(action Action, path, other string, pair diagnostics.Pair) Action {
	keep, drop := pair.Incumbent, pair.Reporter
	if drop.Created != "" && drop.Created < keep.Created {
		keep, drop = drop, keep
	}
	action.Title = fmt.Sprintf("Merge into %s", diagnostics.Shown(other))
	if keep.Path == path {
		action.Title = fmt.Sprintf("Merge %s into this", diagnostics.Shown(other))
	}
	return v.commit(action, MergeRequest{Keep: keep.Path, Drop: drop.Path}, path, other)
}

// keepActions let both memories stand, which two with one text cannot. The
// later one is where the relation is written, whichever side it is chosen on.
func (v *View) keepActions(base Action, path, other string, pair diagnostics.Pair) []Action {
	if isDuplicate(pair.Code) {
		return nil
	}
	keep := func(title, rel string) Action {
		action := base
		action.Title = title
		return v.commit(action, LinkRequest{Source: pair.Reporter.Path, Rel: rel, Target: pair.Incumbent.Path}, path, other)
	}
	related := keep("Keep both: related", relLaterally)
	if pair.Code == diagnostics.FrameKeyConflict {
		return []Action{keep("Keep both: they contradict", relContradicts), related}
	}
	return []Action{related}
}

// commit completes an action that commits: the expectations of every path it
// depends on, or the reason it is disabled.
func (v *View) commit(action Action, request any, paths ...string) Action {
	expect, unsaved, reason := v.expectations(paths)
	if reason == "" {
		reason = v.root.NoCommits()
	}
	if reason == "" && len(unsaved) > 0 {
		reason = fmt.Sprintf("%s has unsaved changes.", diagnostics.Shown(unsaved[0]))
		action.Unsaved = unsaved
	}
	action.Disabled = reason
	action.Request = expecting(request, expect)
	return action
}

// expecting is a request with its expectations.
func expecting(request any, expect Expectations) any {
	switch request := request.(type) {
	case ArchiveRequest:
		request.Expect = expect
		return request
	case SupersedeRequest:
		request.Expect = expect
		return request
	case MergeRequest:
		request.Expect = expect
		return request
	case LinkRequest:
		request.Expect = expect
		return request
	case CorrectRequest:
		request.Expect = expect
		return request
	case CorrectFromEditRequest:
		request.Expect = expect
		return request
	default:
		return nil
	}
}

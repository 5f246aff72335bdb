package store

import "github.com/memhtml-ls/memhtml-ls/internal/fault"

// The steps of the writer and of recovery, in their order (doc.go). A kill
// point is the moment before a step; the kill test takes its list from here.
const (
	StepWrite      = "write"       // all content, synced under temp names
	StepObjects    = "objects"     // blobs, trees and the commit get their names
	StepJournal    = "journal"     // the intent, durable before anything visible
	StepIndexLock  = "index-lock"  // index.lock taken
	StepRecheck    = "recheck"     // the plan's expectations, once more
	StepFolders    = "folders"     // folders for moved files
	StepHeadLock   = "head-lock"   // HEAD.lock taken, so that HEAD stays on its branch
	StepRefLock    = "ref-lock"    // the branch's lock taken and its value compared
	StepReflog     = "reflog"      // the branch's log
	StepReflogHead = "reflog-head" // HEAD's log
	StepRef        = "ref"         // rename of the reference: the commit point
	StepCreate     = "create"      // each file that appears
	StepReplace    = "replace"     // each file whose content changes
	StepDelete     = "delete"      // each file that leaves
	StepAside      = "aside"       // each file moved out of the way, before it is looked at
	StepSync       = "sync"        // the folders of all of them
	StepIndex      = "index"       // rename of the index
	StepUnlock     = "unlock"      // each lock given back
	StepForget     = "forget"      // temps, then the journal, removed
	StepDone       = "done"

	UndoFile    = "undo-file"    // each file taken back
	UndoRef     = "undo-ref"     // the reference taken back
	UndoReflog  = "undo-reflog"  // each log line taken back
	UndoFolders = "undo-folders" // empty folders removed
	UndoUnlock  = "undo-unlock"  // each lock given back
	UndoForget  = "undo-forget"  // temps, then the journal, removed

	RecoverRead    = "recover-read"    // the journal is read and judged
	RecoverUnlock  = "recover-unlock"  // each stale lock of ours removed
	RecoverLock    = "recover-lock"    // index.lock taken anew
	RecoverReflog  = "recover-reflog"  // a log line without its commit, removed
	RecoverFolders = "recover-folders" // empty folders removed, or folders made
	RecoverFile    = "recover-file"    // each file
	RecoverIndex   = "recover-index"   // rename of the index
	RecoverForget  = "recover-forget"  // temps, then the journal, removed
)

// at is the moment before a step.
func at(step string) error { return fault.At(step) }

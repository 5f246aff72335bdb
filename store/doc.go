// Package store turns a plan into exactly one git commit, or into nothing.
//
// It is not a git library: it makes one kind of commit, on HEAD, from files
// named in advance, and refuses every repository state in which it would do
// that differently from git. It knows nothing of memories beyond their bytes.
//
// It reads objects as they are: replacements (refs/replace) and grafts are not
// honoured, so that a commit always builds on what HEAD itself names.
//
// # Invariants
//
// Must means that a kill at any instant, a full disk and a concurrent git
// command leave it true. Should means that only a person's own haste, such as
// removing a lock by hand, can break it.
//
//	S1  Objects must be durable before the reference that needs them moves.
//	S2  The journal must be durable before anything visible is touched.
//	S3  The commit must hold exactly the plan's paths: nothing that somebody
//	    staged, nothing that somebody else committed is lost or added.
//	S4  A reference must move only from the value the commit was derived from,
//	    under git's own lock of it, in one rename.
//	S5  Every other entry of the index must keep its bytes. Only an entry that
//	    git could no longer tell from an edited one gets size 0.
//	S6  No file may be overwritten or removed unless it holds the bytes that
//	    the plan expects.
//	S7  A refused plan must leave files, index, references and logs as they
//	    were. Objects that nothing refers to may stay; git collects them.
//	S8  A lock that is not ours must never be removed. Ours carry the token of
//	    the journal.
//	S9  After a kill the next start must bring about exactly the state before
//	    or exactly the state after, however often it is killed itself.
//	S10 Times in the index should be those of the files, so that git status
//	    needs no second look.
//
// # Write order
//
// The names are the constants in steps.go. Under the writer lock, and before
// the first of them, comes what git does for a commit outside of its own locks:
// pre-commit, prepare-commit-msg and commit-msg run against an index of their
// own, and git signs. Either may take as long as a person at a prompt; what
// happens meanwhile is found at recheck. post-commit follows the last step.
// A reference-transaction or post-index-change hook would run between the
// steps, with a veto and no end; a repository that has one is refused.
//
//	write        all content under temp names, synced: blobs, trees and the
//	             commit, derived from HEAD's tree; files; a second name for each
//	             old file; the index, with the stat fields of the files; the new
//	             reference value; journal. A full disk is found here
//	objects      they get their names
//	journal      S1, S2: it gets its name, and all folders so far are synced; the
//	             old index is verified meanwhile
//	index-lock   from here git cannot change the index
//	recheck      HEAD, files and index once more; a moved HEAD starts over,
//	             once, if it left the paths alone
//	folders      empty ones, which git does not see
//	head-lock    HEAD stays on its branch
//	ref-lock     the old value is compared under it, and gets a second name
//	reflog       the branch's log
//	reflog-head  HEAD's log
//	ref          S4: the rename of the reference is the commit point
//	create       files that appear, only where nothing is
//	replace      files that change (S6)
//	delete       moved sources (S6)
//	aside        in both: the file is out of the way, and is looked at; one that
//	             is not the expected one goes back
//	sync         S10: the folders of all of them, and the index where a file is
//	             not the one that was written; where that fails, all is taken back
//	index        S5: one rename
//	unlock       reference, HEAD, index
//	forget       temps, then the journal
//
// Between ref and index a git commit that has waited for nothing can read HEAD
// as it is and the index as it was, and would take our changes back with its
// own when it gets the lock of the index; git has the same moment in commits of
// its own. Files that are replaced before the commit point would shorten it, at
// the price of files to be taken back after a kill, which somebody may have
// edited by then.
//
// The journal is written once and whole, because all that recovery needs is
// known before the first lock; it goes last, after the locks, so that no lock
// is ever left that no journal explains.
//
// An error before the commit point is undone in the reverse order. So is one
// after it: files first, then the reference, while all locks are still held,
// so that nobody can have built on the commit. The old files and the old
// reference value lie ready, so that undoing needs no space.
//
// # Line ends
//
// The content of a plan is what is on disk. What is stored is what git would
// store of it, by the attributes and settings that change line ends; the
// journal holds the ids of both. Whatever else git would do to content, by a
// filter, ident or working-tree-encoding, needs programs and tables that are
// not here, and a path under them is refused.
//
// # Split and sparse indexes
//
// What such an index leaves out git fills in, in a copy. The copy, patched, is
// what replaces the index: it is whole, which git accepts under any setting,
// and one rename as ever. To write it in pieces would put a second file beside
// the rename.
//
// # Recovery order
//
// It begins under the writer lock, with the dead process's index.lock kept or
// taken anew. If the journal's commit is reachable from HEAD it goes forward:
//
//	create, replace, delete   each path that HEAD still has as the commit had
//	                          it, and whose file still has the old bytes
//	index                     each such entry that still is the old one
//
// Otherwise it goes back: the line that was the log's last, the empty folders.
// Both end with unlock and forget. Each step finds its own work done and then
// does nothing.
package store

package diagnostics

import (
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

var linkRelEntry = Entry{
	Code:     LinkRel,
	Severity: Error,
	Meaning:  "a memhtml- link has a relation the format does not know",
	What:     "The rel of a `<link>` begins with `memhtml-` and goes on with a word that is no relation of the format. Spelling is lower case, one relation to a link.",
	Why:      "A relation that nobody knows is followed by nobody. memhtml refuses the file.",
	Fix: "Use one of supersedes, contradicts, caused-by, leads-to, part-of, relates-to, example-of, supports, laterally-related, " +
		"about-person, authored-by, from-session, blocks and subtask-of.",
	Wrong: "When a later version of memhtml has added the relation: then this server is older than your memories.",
	Since: "0.1.0",
	say: func(p memory.Problem) string {
		return Shown(p.Subject) + " is not a relation of the memory format."
	},
}

var linkHrefEntry = Entry{
	Code:     LinkHref,
	Severity: Error,
	Meaning:  "a memhtml- link does not name a path from the root",
	What:     "The href of a `memhtml-` link is missing, or is not a path that begins with exactly one slash and has no empty, “.” or “..” segment.",
	Why:      "Links have to mean the same wherever a file lies, also after it was archived, and may not lead out of the memory.",
	Fix:      "Write the path of the other file as it is under the root, with a slash before it.",
	Wrong:    "Never. A link to a web page is an `<a>` in the article.",
	Since:    "0.1.0",
	say: func(p memory.Problem) string {
		if p.Value == "" {
			return "This link has no href: write a path from the root, such as /areas/x.html."
		}
		return quote(p.Value) + " is not a path from the root, such as /areas/x.html."
	},
}

var danglingLinkEntry = Entry{
	Code:     DanglingLink,
	Severity: Warning,
	Meaning:  "a memhtml- link names a memory that does not exist",
	What: "The href of a `memhtml-` link names a path under projects, areas, resources or archive at which there is no file, " +
		"neither as written nor with %20 and the like decoded. What follows ? or # does not count.\n\n" +
		"Links to other files, such as README.html, are not judged.",
	Why: "The relation is lost: nobody can follow it. memhtml's doctor removes such a link, also where the file was only moved.",
	Fix: "If the message says where the file is, take “Point the link at its archived file”. If it says what superseded the file, the link " +
		"can be pointed at that memory as well. Otherwise correct the path or remove the link.",
	Wrong: "When the file is about to come, for example from another branch.",
	Since: "0.1.0",
}

// links reports the links that do not do what they are for.
func (r *report) links() {
	if r.Snapshot == nil {
		return
	}
	for _, l := range r.Document.Links {
		literal, alternate := l.Target()
		switch to := r.Snapshot.Resolve(literal, alternate); {
		case to == nil:
			r.dangling(l, literal, alternate)
		case to.Path == r.File.Path:
			r.selfLink(l)
		default:
			r.edgeClass(l, to)
		}
	}
}

// dangling reports a link that names no file, if that would be a memory: the
// corpus knows of no other file.
func (r *report) dangling(l memory.Link, literal, alternate string) {
	if !r.wants(DanglingLink) || !memory.IsMemoryPath(literal) && !memory.IsMemoryPath(alternate) {
		return
	}
	f := Finding{
		Code: DanglingLink, Span: r.Document.Spans().Link(l),
		Message: clip("/"+literal) + " does not exist.",
		Data:    Data{Subject: l.Rel, Value: l.Href},
	}
	moved := whereabouts(r.Snapshot, literal)
	if moved == nil && alternate != "" {
		moved = whereabouts(r.Snapshot, alternate)
	}
	if moved != nil {
		f.Message = clip("/"+literal) + " does not exist; it is now /" + Shown(moved.Path) + "."
		f.Data.Other, f.Data.Target = moved.Path, archivedForm(moved.Path, literal, alternate)
		f.Related = []Related{r.related(moved)}
	}
	if heir := r.successor(l, f.Data.Target); heir != nil {
		f.Message = clip("/"+literal) + " does not exist; it was superseded by /" + Shown(heir.Path) + "."
		f.Data.Successor = heir.Path
		f.Related = append([]Related{r.related(heir)}, f.Related...)
	}
	r.add(f)
}

// successor is the memory that holds in place of one that a link names and that
// was archived to target. Whoever supersedes a memory means that very one.
func (r *report) successor(l memory.Link, target string) *index.File {
	if target == "" || l.Rel == "supersedes" {
		return nil
	}
	heir := r.Snapshot.Successor(&index.File{Path: target})
	if heir == nil || heir.Path == r.File.Path {
		return nil
	}
	return heir
}

// whereabouts finds a file that is not at its path: in the archive, the latest
// year first, or back at its live place when the path is an archived one.
func whereabouts(snap *index.Snapshot, path string) *index.File {
	if live, ok := memory.UnarchivePath(path); ok {
		if f := snap.File(live); f != nil {
			return f
		}
		path = live
	}
	for f := range snap.ArchivedForms(path) {
		return f
	}
	return nil
}

// archivedForm returns the path when it is the archived form of either of the
// others: then an archive folder in front of the href mends the link.
func archivedForm(path, literal, alternate string) string {
	live, ok := memory.UnarchivePath(path)
	if ok && (live == literal || live == alternate) {
		return path
	}
	return ""
}

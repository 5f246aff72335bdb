package session

import (
	"bytes"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// strays are the reports of the memories of a selection that lie where none
// belongs, by path. They cost a look into every folder of it, which an index of
// its memories does without: hence a check alone, and not every start and poll.
// What cannot be read is passed over. The error is that of ctx.
func (v *View) strays(ctx context.Context, s *selection) ([]Report, error) {
	found := map[string]Report{}
	take := func(at string) {
		if report := v.stray(at); len(report.Findings) > 0 && !v.chosen.excluded(at) {
			found[at] = report
		}
	}
	for _, at := range s.named {
		take(at)
	}
	for _, folder := range s.folders {
		if err := v.walkStrays(ctx, folder, take); err != nil {
			return nil, err
		}
	}
	reports := slices.Collect(maps.Values(found))
	slices.SortFunc(reports, func(a, b Report) int { return strings.Compare(a.Path, b.Path) })
	return reports, nil
}

// walkStrays looks into a folder and those in it. A memory that is known is a file
// and no stray: looking at each of them is what would cost.
func (v *View) walkStrays(ctx context.Context, folder string, take func(at string)) error {
	if v.root.inForeign(folder) {
		return nil
	}
	top, folders := folder, []string{folder}
	for len(folders) > 0 {
		folder, folders = folders[len(folders)-1], folders[:len(folders)-1]
		if ctx.Err() != nil {
			return ctx.Err()
		}
		names := v.root.names(folder)
		if folder != top && slices.ContainsFunc(foreignMarks, func(mark string) bool { return slices.Contains(names, mark) }) {
			continue
		}
		for _, name := range names {
			at := path.Join(folder, name)
			if v.Snapshot.Disk(at) != nil {
				continue
			}
			info, err := v.root.files.Lstat(at)
			switch {
			case err != nil:
			case info.IsDir() && !isPassedOver(name):
				folders = append(folders, at)
			case info.Mode().IsRegular() && mayStray(at):
				take(at)
			}
		}
	}
	return nil
}

// names are those in a folder, none where it cannot be read.
func (r *Root) names(folder string) []string {
	dir, err := r.files.Open(folder)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	return names
}

// straysTo reports whether a page is a memory that lies where none belongs.
func (v *View) straysTo(at string) bool {
	info, err := v.root.files.Lstat(at)
	return err == nil && info.Mode().IsRegular() && mayStray(at) && !v.root.inForeign(path.Dir(at)) && v.strayMemory(at) != nil
}

// inForeign reports whether a folder, or one that it is in, is foreign.
func (r *Root) inForeign(folder string) bool {
	for ; folder != "."; folder = path.Dir(folder) {
		if r.foreign(folder) {
			return true
		}
	}
	return false
}

// foreignMarks are what makes a folder another repository or root.
var foreignMarks = []string{".git", ".memhtml"}

// isPassedOver reports whether a folder of that name holds nothing of any root: a
// hidden one, or packages.
func isPassedOver(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// foreign reports whether a folder holds nothing of this root: passed over, or
// another repository or root.
func (r *Root) foreign(folder string) bool {
	if isPassedOver(path.Base(folder)) {
		return true
	}
	for _, mark := range foreignMarks {
		if _, err := r.files.Lstat(path.Join(folder, mark)); err == nil {
			return true
		}
	}
	return false
}

// mayStray reports whether a name is that of a page which is no memory's path.
func mayStray(at string) bool {
	return strings.EqualFold(path.Ext(at), ".html") && !strings.HasPrefix(path.Base(at), ".") && !memory.IsMemoryPath(at)
}

// strayMemory is one such page that is a memory by its head, else nil.
func (v *View) strayMemory(at string) *memory.Document {
	text, err := v.root.readFile(at)
	if err != nil || !bytes.Contains(text, []byte("memhtml-type")) {
		return nil
	}
	if doc := memory.Parse(text); doc.Metas.Has("memhtml-type") {
		return doc
	}
	return nil
}

// stray is the report of one such page.
func (v *View) stray(at string) Report {
	doc := v.strayMemory(at)
	if doc == nil {
		return Report{}
	}
	return Report{Path: at, Text: doc.Source, Findings: diagnostics.Find(diagnostics.Input{
		Snapshot: v.Snapshot, File: index.FromDocument(at, doc), Document: doc, Options: v.chosen.options,
	})}
}

// interleave adds reports to others; all are by path.
func interleave(reports, more []Report) []Report {
	if len(more) == 0 {
		return reports
	}
	reports = append(reports, more...)
	slices.SortFunc(reports, func(a, b Report) int { return strings.Compare(a.Path, b.Path) })
	return reports
}

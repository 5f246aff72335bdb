package session

import (
	"bytes"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// strays are the reports of the memories that lie where none belongs, by path.
// They cost a look into every folder of the root, which an index of its memories
// does without: hence a check alone, and not every start and poll. What cannot be
// read is passed over. The error is that of ctx.
func (v *View) strays(ctx context.Context) ([]Report, error) {
	var reports []Report
	err := fs.WalkDir(v.root.files.FS(), ".", func(at string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && entry != nil && entry.IsDir() && at != ".":
			return fs.SkipDir
		case err != nil:
			return nil
		case entry.IsDir() && at != "." && v.root.foreign(at):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !mayStray(at) || v.chosen.excluded(at):
			return nil
		}
		if report := v.stray(at); len(report.Findings) > 0 {
			reports = append(reports, report)
		}
		return nil
	})
	return reports, err
}

// foreign reports whether a folder holds nothing of this root: hidden ones,
// packages, and other repositories and roots.
func (r *Root) foreign(folder string) bool {
	if name := path.Base(folder); strings.HasPrefix(name, ".") || name == "node_modules" {
		return true
	}
	for _, mark := range []string{".git", ".memhtml"} {
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

// stray is the report of one such page.
func (v *View) stray(at string) Report {
	text, err := v.root.readFile(at)
	if err != nil || !bytes.Contains(text, []byte("memhtml-type")) {
		return Report{}
	}
	doc := memory.Parse(text)
	return Report{Path: at, Text: text, Findings: diagnostics.Find(diagnostics.Input{
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

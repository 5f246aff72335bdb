package diagnostics

import (
	"path"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

var outsideBucketsEntry = Entry{
	Code:     OutsideBuckets,
	Severity: Warning,
	Meaning:  "a memory is where memhtml does not look for one",
	What: "The head has a `memhtml-type`, and the file is not below projects, areas, resources or archive, or its name does not end in .html in small letters.\n\n" +
		"An editor shows it on open files. `check` looks for such files in the root, or the folders and files it is given, but not in hidden folders, " +
		"those named `node_modules` or those that are repositories or memory roots of their own.",
	Why:   "memhtml never reads the file: no search finds it, nothing is compared with it.",
	Fix:   "Move the file, for example to areas/inbox, or give it a name that ends in .html.",
	Wrong: "When the file is an example or a draft that is not meant to be remembered.",
	Since: "0.1.0",
}

// outside reports whether the file is of a root and not where its memories are.
func (r *report) outside() bool {
	return r.Snapshot != nil && !memory.IsMemoryPath(r.File.Path)
}

// stray reports a file that is a memory by its head alone, with what else is
// wrong with it, unless the code is off. An index.html is memhtml's own.
func (r *report) stray() {
	if r.Document == nil || !r.wants(OutsideBuckets) || !r.Document.Metas.Has("memhtml-type") || path.Base(r.File.Path) == "index.html" {
		return
	}
	message := "This memory is not below projects, areas, resources or archive: memhtml does not see it."
	if memory.Bucket(r.File.Path) != "" {
		message = "The name of this memory does not end in .html: memhtml does not see it."
	}
	r.add(Finding{Code: OutsideBuckets, Span: r.meta("memhtml-type"), Message: message})
	r.format()
}

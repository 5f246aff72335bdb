package session

import (
	"context"
	"path/filepath"
	"time"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// InitResult is the data of "init.result".
type InitResult struct {
	Done
	Root string `json:"root"`
}

// Init makes dir a memory root, or completes one, in one commit: what is there
// already stays (format.md §1). A complete one is Already. A folder inside of
// another root is refused: the root around it would not see what is in it any
// more. Refusals are *failure.Error.
func Init(ctx context.Context, dir string, now func() time.Time) (InitResult, error) {
	if err := checkNested(dir); err != nil {
		return InitResult{}, named("Not initialised", err)
	}
	at := now().UTC().Truncate(time.Second)
	message := store.Message{Subject: memory.Subject("init", "scaffold the memory repository")}
	made, err := store.Init(ctx, dir, scaffold(), message, at)
	if err != nil {
		return InitResult{}, named("Not initialised", err)
	}
	root, err := filepath.Abs(dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return InitResult{}, failure.New(failure.PathNotFound, "The folder %s cannot be read.", diagnostics.Shown(dir)).Wrap(err)
	}
	result := InitResult{Root: root, Done: Done{At: memory.Stamp(at), Already: made.Commit == "", Warnings: made.Warnings}}
	if made.Commit != "" {
		result.Commit = &made.Commit
	}
	return result, nil
}

// checkNested refuses a folder that is no root itself and lies in one.
func checkNested(dir string) error {
	outer, ok := FindRoot(dir)
	if !ok {
		return nil
	}
	real, err := filepath.Abs(dir)
	if resolved, evalErr := filepath.EvalSymlinks(real); evalErr == nil {
		real = resolved
	}
	if err != nil || real == outer {
		return nil
	}
	return failure.New(failure.DestinationExists, "%s lies in the memory root %s.", diagnostics.Shown(dir), diagnostics.Shown(outer)).
		Suggest("Use that one, or name a folder outside of it.")
}

// scaffold are the files of a fresh root. The lines of .gitignore keep the
// databases of memhtml out of commits, which refuses a tree that is not clean.
func scaffold() map[string][]byte {
	files := map[string][]byte{
		".gitignore":     []byte(".memhtml/index.db\n.memhtml/index.db-*\n.memhtml/state.db\n.memhtml/state.db-*\n"),
		".gitattributes": []byte("index.html merge=ours\nsitemap.xml merge=ours\n*.html diff=html\n"),
		"README.html":    []byte(readme),
	}
	for _, folder := range []string{
		"projects", "areas", "resources", "archive", "areas/arcs", "resources/people", "areas/inbox",
		".memhtml/state", ".memhtml/sleep",
	} {
		files[folder+"/.gitkeep"] = []byte{}
	}
	return files
}

const readme = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Memory</title>
</head>
<body>
<h1>Memory</h1>
<p>One fact a file, below projects, areas, resources and archive.</p>
</body>
</html>
`

package session

import (
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
)

// maxSuccession is how many memories, each superseded by the next, are followed.
const maxSuccession = 1000

// successor is the memory that holds in place of one that is not there any more,
// "" when there is none.
func (r *Root) successor(path string) string {
	for range maxSuccession {
		archived, ok := r.archivedForm(path)
		if !ok {
			return ""
		}
		source, err := r.readFile(archived)
		if err != nil {
			return ""
		}
		path = strings.TrimPrefix(memory.Parse(source).Metas.SupersededBy, "/")
		if !memory.IsMemoryPath(path) || memory.IsArchived(path) {
			return ""
		}
		if _, err := r.files.Lstat(path); err == nil {
			return path
		}
	}
	return ""
}

// superseded adds to the refusal of a memory that does not exist what holds in its
// place.
func (r *Root) superseded(path string, err error) error {
	if !isMissing(err) {
		return err
	}
	heir := r.successor(path)
	if heir == "" {
		return err
	}
	refused := failure.New(failure.PathNotFound, "%s was superseded and is in the archive.", diagnostics.Shown(path)).
		Suggest("Name " + diagnostics.Shown(heir) + ", which holds in its place.").Wrap(err)
	refused.Data = map[string]string{"path": path, "successor": heir}
	return refused
}

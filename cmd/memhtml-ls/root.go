package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/memory"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// findRoot decides which memory root a call is about: --root, else the root
// that holds the first path or, without paths, the working directory, else
// $MEMHTML_ROOT, else ~/memhtml.
func (c *call) findRoot(paths []string) (string, error) {
	if c.root != "" {
		return namedRoot(c.root)
	}
	place := "."
	for _, path := range paths {
		if _, href := fromRoot(path); !href {
			place = path
			break
		}
	}
	if dir, ok := session.FindRoot(folderOf(place)); ok {
		return dir, nil
	}
	if dir := os.Getenv("MEMHTML_ROOT"); dir != "" {
		return namedRoot(atHome(dir))
	}
	if home, err := os.UserHomeDir(); err == nil && session.IsRoot(filepath.Join(home, "memhtml")) {
		return filepath.Join(home, "memhtml"), nil
	}
	where := "There is no memory root here."
	if place != "." {
		where = diagnostics.Shown(place) + " is not in a memory root."
	}
	return "", failure.New(failure.PathNotFound, "%s", where).
		Suggest("Name one with --root, or make one with memhtml-ls init.")
}

// fromRoot is the path of an argument that names a memory as an href does: from
// the root, with a slash in front. What the file system has at such a place, or
// what lies in a root there, is not meant that way.
func fromRoot(arg string) (path string, ok bool) {
	if !strings.HasPrefix(arg, "/") || memory.Bucket(arg) == "" {
		return "", false
	}
	if _, err := os.Lstat(arg); err == nil {
		return "", false
	}
	if _, inRoot := session.FindRoot(filepath.Dir(arg)); inRoot {
		return "", false
	}
	return memory.NormalizePath(arg), true
}

// atHome expands a leading "~", which a shell leaves alone where it is quoted and
// which the settings of an agent write (M122).
func atHome(dir string) string {
	rest, ok := strings.CutPrefix(dir, "~")
	home, err := os.UserHomeDir()
	if !ok || err != nil || rest != "" && !os.IsPathSeparator(rest[0]) {
		return dir
	}
	return filepath.Join(home, rest)
}

// namedRoot accepts only a folder that is a root: a check of a mistyped folder
// would find nothing, and look like good news.
func namedRoot(dir string) (string, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", failure.New(failure.PathNotFound, "There is no folder %s.", diagnostics.Shown(dir))
	case err != nil:
		return "", failure.New(failure.PathNotFound, "%s cannot be read.", diagnostics.Shown(dir)).Wrap(err)
	case !info.IsDir():
		return "", failure.New(failure.PathNotFound, "%s is not a folder.", diagnostics.Shown(dir))
	case session.IsRoot(dir):
		return dir, nil
	}
	refused := failure.New(failure.PathNotFound, "%s is not a memory root.", diagnostics.Shown(dir))
	if outer, ok := session.FindRoot(dir); ok {
		return "", refused.Suggest("It lies in the root " + diagnostics.Shown(outer) + ".")
	}
	return "", refused.Suggest("A root has a .memhtml folder, or memories below projects, areas, resources or archive.",
		"memhtml-ls init makes one.")
}

// folderOf is the folder whose root a path belongs to. A link that is a memory's
// own name is not followed: it may lead out of the root.
func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path
	}
	return filepath.Dir(path)
}

// openRoot opens the root of a call, and translates its paths to the root's.
// The caller closes the root.
func (c *call) openRoot(ctx context.Context, paths []string) (*session.Root, []string, error) {
	dir, err := c.findRoot(paths)
	if err != nil {
		return nil, nil, err
	}
	root, err := session.Open(ctx, dir, session.Options{
		Logger: c.ui.logger(), User: c.ownSettings(), Model: c.model, EmbedderKey: os.Getenv(keyVariable),
		OneCommand: true,
	})
	if err != nil {
		return nil, nil, err
	}
	relative := make([]string, 0, len(paths))
	for _, path := range paths {
		rel, err := c.relative(root, path)
		if err != nil {
			return nil, nil, errors.Join(err, root.Close())
		}
		relative = append(relative, rel)
	}
	return root, relative, nil
}

// openIndexed is openRoot with the first pass over the files done.
func (c *call) openIndexed(ctx context.Context, paths []string) (*session.Root, []string, error) {
	root, relative, err := c.openRoot(ctx, paths)
	if err != nil {
		return nil, nil, err
	}
	progress := c.ui.progress("reading")
	err = root.Index(ctx, progress.update)
	progress.done()
	if err != nil {
		return nil, nil, errors.Join(err, root.Close())
	}
	return root, relative, nil
}

// relative translates one path argument: relative to the root with --root, else
// to the working directory.
func (c *call) relative(root *session.Root, path string) (string, error) {
	if c.root != "" && !filepath.IsAbs(path) {
		return filepath.ToSlash(filepath.Clean(path)), nil
	}
	if from, ok := fromRoot(path); ok && c.root == "" {
		return from, nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", failure.New(failure.PathNotFound, "%s cannot be found.", diagnostics.Shown(path)).Wrap(err)
	}
	if folder := folderOf(abs); folder == abs {
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs = real
		}
	}
	if abs == root.Dir() {
		return ".", nil
	}
	rel, ok := root.Rel(abs)
	switch {
	case ok:
		return rel, nil
	case c.root != "":
		// An href names a memory from the root, with a slash in front.
		return filepath.ToSlash(path), nil
	default:
		return "", failure.New(failure.PathNotFound, "%s is not in the memory root %s.", diagnostics.Shown(path), diagnostics.Shown(root.Dir())).
			Suggest("With --root, paths are relative to the root.")
	}
}

// closeRoot closes a root at the end of a subcommand. What is lost when that
// fails is time at the next start, so it is no failure of the subcommand.
func (c *call) closeRoot(root *session.Root) {
	if err := root.Close(); err != nil {
		c.ui.note("The index could not be kept for the next start.")
	}
}

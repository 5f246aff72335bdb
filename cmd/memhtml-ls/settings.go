package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
	"github.com/memhtml-ls/memhtml-ls/internal/settings"
)

// ownSettings reads the person's settings for the command line,
// memhtml-ls/config.jsonc in their configuration folder. What is wrong with them
// is a note: it is no reason to do nothing.
func (c *call) ownSettings() []settings.Layer {
	dir, err := os.UserConfigDir()
	if err != nil {
		// A service without a home has no settings.
		return nil
	}
	name := filepath.Join(dir, "memhtml-ls", "config.jsonc")
	text, err := readSettings(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		c.ui.note("%s cannot be read; the settings in it do not count.", diagnostics.Shown(name))
		return nil
	}
	layer, problems := settings.Parse(text, settings.User)
	for _, problem := range problems {
		c.ui.note("%s: %s", diagnostics.Shown(name), problem)
	}
	return []settings.Layer{layer}
}

// readSettings reads no more than settings take, and only what has an end.
func readSettings(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, settings.MaxSize+1))
}

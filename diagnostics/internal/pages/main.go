// Command pages writes the page of every diagnostic, and their index, into a
// folder. It removes the pages of codes that are gone.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: pages DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	pages := diagnostics.Pages()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if _, kept := pages[filepath.Base(path)]; kept {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Command pages writes the page of the settings and their schemas into a folder,
// given the source file of the settings, and the settings into the manifest of the
// extension for Visual Studio Code. The schemas name the diagnostic codes, so
// that it runs when those change, too.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: pages SOURCE DIR MANIFEST")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

func write(source, dir, manifestFile string) error {
	files, err := pages(source)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	old, err := os.ReadFile(manifestFile)
	if err != nil {
		return err
	}
	docs, err := comments(source)
	if err != nil {
		return err
	}
	text, err := manifest(docs, string(old))
	if err != nil {
		return err
	}
	return os.WriteFile(manifestFile, []byte(text), 0o644)
}

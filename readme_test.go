// Package memhtmlls_test holds the README to what the program does.
package memhtmlls_test

import (
	"os"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

func TestReadmeExplainsEveryCode(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## What each finding means\n")
	section, _, ok := strings.Cut(section, "\n## ")
	if !ok {
		t.Fatal("the README has no section on what each finding means")
	}
	for _, entry := range diagnostics.Catalog() {
		if !strings.Contains(section, "`"+string(entry.Code)+"`") {
			t.Errorf("the README does not explain %s", entry.Code)
		}
	}
}

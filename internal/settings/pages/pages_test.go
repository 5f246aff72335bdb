package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/settings"
)

// TestPagesAreGenerated compares docs with the struct.
func TestPagesAreGenerated(t *testing.T) {
	files, err := pages("../settings.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../../../docs", name))
		if err != nil {
			t.Errorf("%v; go generate ./internal/settings writes it", err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s is not as generated (-want +got); go generate ./internal/settings:\n%s", name, diff)
		}
	}
}

// TestManifestIsGenerated compares the manifest of the extension with the struct,
// and makes it anew from one that has nothing.
func TestManifestIsGenerated(t *testing.T) {
	docs, err := comments("../settings.go")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../editors/vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	empty := contributed().ReplaceAllLiteralString(string(got), "\n    \"configuration\": {}")
	empty = restricted().ReplaceAllLiteralString(empty, "\n      \"restrictedConfigurations\": []")
	for _, old := range []string{string(got), empty} {
		want, err := manifest(docs, old)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("editors/vscode/package.json is not as generated (-want +got); go generate ./internal/settings:\n%s", diff)
		}
	}
	if !json.Valid(got) || strings.Contains(string(got), "memhtml.embedder") {
		t.Error("the manifest is no JSON, or offers what no editor may set")
	}
	if _, err := manifest(docs, "{}"); err == nil {
		t.Error("a manifest without a place for settings is taken")
	}
}

// TestExamplesAreSettings reads what the page and the README tell people to write.
func TestExamplesAreSettings(t *testing.T) {
	seen := 0
	for _, name := range []string{"docs/settings.md", "README.md"} {
		text, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "\n```") {
			example, ok := strings.CutPrefix(block, "jsonc\n")
			if i%2 == 0 || !ok {
				continue
			}
			seen++
			if _, problems := settings.Parse([]byte(example), settings.User); len(problems) > 0 {
				t.Errorf("%s: %v", name, problems)
			}
		}
	}
	if seen != 2 {
		t.Errorf("read %d examples", seen)
	}
}

// TestSchemaOfRepository offers nobody what a repository cannot set.
func TestSchemaOfRepository(t *testing.T) {
	files, err := pages("../settings.go")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct{ Properties map[string]any }
	}
	if err := json.Unmarshal([]byte(files["repository-settings.schema.json"]), &schema); err != nil {
		t.Fatal(err)
	}
	var got []string
	for group, properties := range schema.Properties {
		for name := range properties.Properties {
			got = append(got, group+"."+name)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"diagnostics.exclude", "diagnostics.severities"}, got); diff != "" {
		t.Error(diff)
	}
}

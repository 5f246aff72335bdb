package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/memhtml-ls/memhtml-ls/internal/settings"
)

// The two places of the manifest that are generated, told apart by how far
// they are indented.
var (
	contributed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\n    "configuration": \{(?:\}|.*?\n    \})`) })
	restricted  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)\n      "restrictedConfigurations": \[.*?\]`) })
)

// configuration is what an extension of Visual Studio Code contributes.
type configuration struct {
	Title      string              `json:"title"`
	Properties map[string]property `json:"properties"`
}

// property is one setting. Scope says who may set it: a folder may, unless it is
// "machine".
type property struct {
	*node
	Markdown string `json:"markdownDescription"`
	Scope    string `json:"scope"`
}

// manifest puts the settings that an editor may make into the manifest of the
// extension: as its contributions, and as those that count in trusted folders only.
func manifest(docs map[[2]string]string, old string) (string, error) {
	all := configuration{Title: "memhtml", Properties: map[string]property{
		"memhtml.server.path": {
			node:     &node{Type: "string", Default: ""},
			Markdown: "The `memhtml-ls` to start. Without it, the one on the `PATH` is, or the one that came with the extension.",
			Scope:    "machine",
		},
	}}
	keys := []string{}
	for _, f := range settings.Fields() {
		if !f.Editor {
			continue
		}
		all.Properties["memhtml."+f.Key] = property{node: describe(f, ""), Markdown: docs[f.Go], Scope: "resource"}
		keys = append(keys, "memhtml."+f.Key)
	}
	text := old
	for _, part := range []struct {
		place  *regexp.Regexp
		indent string
		name   string
		value  any
	}{
		{contributed(), "    ", "configuration", all},
		{restricted(), "      ", "restrictedConfigurations", keys},
	} {
		if len(part.place.FindAllString(text, -1)) != 1 {
			return "", fmt.Errorf("the manifest has no one %s", part.name)
		}
		var out strings.Builder
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent(part.indent, "  ")
		if err := encoder.Encode(part.value); err != nil {
			return "", err
		}
		replacement := fmt.Sprintf("\n%s%q: %s", part.indent, part.name, strings.TrimRight(out.String(), "\n"))
		text = part.place.ReplaceAllLiteralString(text, replacement)
	}
	return text, nil
}

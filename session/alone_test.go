package session

import (
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

func TestOnlyHTMLThatMeansToBeAMemoryIsChecked(t *testing.T) {
	tests := []struct {
		name, text string
		findings   bool
	}{
		{"a web page", "<title>x</title><p class=a>words about memhtml-type", false},
		{"a good memory", claim("x", 1), false},
		{"a broken memory", strings.Replace(claim("x", 1), "<mark>", `<mark class="a">`, 1), true},
		{"one meta", `<meta name="memhtml-tag" content="x">`, true},
		{"one link", `<link rel="memhtml-supports" href="/areas/x.html">`, true},
		{"nothing", "", false},
	}
	for _, test := range tests {
		if got := CheckAlone([]byte(test.text), diagnostics.Options{}); (len(got) > 0) != test.findings {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}

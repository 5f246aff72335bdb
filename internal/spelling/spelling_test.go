package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"check", "inspect", "explain", "archive", "supersede", "init", "status", "rebuild", "serve", "demo", "version"}
	tests := []struct{ name, want string }{
		{"chek", "check"},
		{"CHECK", ""},
		{"ser", "serve"},
		{"", ""},
		{"statsu", "status"},
		{"in", "init,inspect"},
		{"completelyelse", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(Nearest(tt.name, names), ","); got != tt.want {
			t.Errorf("Nearest(%q) = %q, want %q", tt.name, got, tt.want)
		}
	}
}

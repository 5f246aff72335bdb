package index

import (
	"errors"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// What changed since one commit says nothing about a database of another.
func TestApplyRefusesRowsOfAnotherWatermark(t *testing.T) {
	a, b, c := Watermark{"a"}, Watermark{"b"}, Watermark{"c"}
	for _, test := range []struct {
		name     string
		since, w Watermark
		refused  bool
	}{
		{"the next", b, c, false},
		{"the same again", a, b, false},
		{"one that was overtaken", a, c, true},
		{"the first", Watermark{}, c, true},
		{"back", b, a, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := tempDB(t)
			must(t, db.Apply(t.Context(), rows(file("areas/a.html", 1)), nil, Watermark{}, b))
			err := db.Apply(t.Context(), rows(file("areas/b.html", 2)), []string{"areas/a.html"}, test.since, test.w)
			loaded, mark, loadErr := db.Load(t.Context())
			must(t, loadErr)
			kept := len(loaded) == 1 && loaded[0].File.Path == "areas/a.html" && mark == b
			if test.refused != (errors.Is(err, ErrMoved) && kept && failure.CodeOf(err) == failure.IndexStale) {
				t.Errorf("%v, watermark %v, %d rows", err, mark, len(loaded))
			}
			if !test.refused && (err != nil || mark != test.w) {
				t.Errorf("%v, watermark %v, want %v", err, mark, test.w)
			}
		})
	}
}

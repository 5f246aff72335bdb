package same

import "testing"

func TestPossible(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       bool
	}{
		{"other words", "The kiln fires on Friday.", "The oven is lit at the end of each week.", true},
		{"nothing in common", "Berths are let by the month.", "Nobody feeds the cat on board.", true},
		{"amounts on both sides", "The winch lifts 400 kg.", "At most 300 kg may hang from the crane on the quay.", false},
		{"names on both sides, of one thing", "Ada waters the garden on the roof.", "The roof garden needs Bela with a hose every evening.", false},
		{"modals of different strength", "Visitors may leave the pier after dark.", "After dark visitors must be gone from there.", false},
		{"a frame with another filling", "The cat that lives in the harbour office likes tuna best.", "The cat that lives in the harbour office broke both scales yesterday, poor beast.", false},
		{"told apart by Compare", "The pool ceiling is 64.", "The pool ceiling is 128.", false},
		{"the same", "The kiln fires on Friday.", "The kiln fires on a Friday.", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := Of(tt.a), Of(tt.b)
			if got := Possible(a, b); got != tt.want || Possible(b, a) != got {
				t.Errorf("%v, want %v; Compare says %+v", got, tt.want, Compare(a, b))
			}
		})
	}
}

package index

import "testing"

func TestSameValue(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"The upload limit is 2 GiB.", "The upload limit is 2048 MiB", true},
		{"The dump goes to S3 nightly.", "The dump goes to S3 every night.", true},
		{"The spare key holder is Ada", "The spare key holder is ada.", true},
		{"The upload limit is 64.", "The upload limit is 128.", false},
		{"The upload limit is 2 GiB.", "The upload limit is 2 GB.", false},
		{"The tracing switch is on.", "The tracing switch is off.", false},
		{"The owner of the service is Ada.", "The owner of the service is Ida.", false},
		{"The pressure gauge of the kiln is .", "The pressure gauge of the kiln is ,", false},
	} {
		a, b := claimed(t, test.a), claimed(t, test.b)
		if a.FrameKey == "" || a.FrameKey != b.FrameKey {
			t.Fatalf("frames %q and %q", a.FrameKey, b.FrameKey)
		}
		if a.SameValue(b) != test.same || b.SameValue(a) != test.same {
			t.Errorf("%q and %q: want %v", test.a, test.b, test.same)
		}
	}
}

func claimed(t *testing.T, claim string) *File {
	t.Helper()
	return NewFile("areas/x.html", []byte("<article><p><mark>"+claim+"</mark></p></article>"))
}

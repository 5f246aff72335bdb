package same

import "testing"

func FuzzCompare(f *testing.F) {
	f.Add("The timeout is 5s.", "Timeout is five seconds")
	f.Add("½ a 1/2 $3.4m -- `{` \"x\" it's 10:61 2024-13-01", "a\xff\u0301'22 (no. 14) 1,5,")
	f.Fuzz(func(t *testing.T, x, y string) {
		a, b := Of(x), Of(y)
		if v := Compare(a, Of(x)); v.Kind != Same {
			t.Errorf("%q is not the same as itself", x)
		}
		v, w := Compare(a, b), Compare(b, a)
		if v.Kind != w.Kind || v.Class != w.Class || v.A.Coverage != w.B.Coverage || v.B.Coverage != w.A.Coverage {
			t.Errorf("%q and %q: %v one way, %v the other", x, y, v, w)
		}
	})
}

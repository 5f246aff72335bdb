package memory

import "testing"

func TestMergeMarkers(t *testing.T) {
	tests := []struct{ name, src, line string }{
		{"a conflict", "<p>\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> topic\n</p>", "<<<<<<< HEAD"},
		{"a conflict with CRLF", "<p>\r\n<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> topic\r\n", "<<<<<<< HEAD"},
		{"a conflict in diff3 form", "<<<<<<< a\n1\n||||||| base\n0\n=======\n2\n>>>>>>> b\n", "<<<<<<< a"},
		{"without a line end at the end", "<<<<<<< a\n=======\n>>>>>>> b", "<<<<<<< a"},
		{"a rule of another length before the middle", "<<<<<<< a\n========\n=======\n>>>>>>> b", "<<<<<<< a"},
		{"no markers", "<p>text</p>\n", ""},
		{"nothing", "", ""},
		{"indented", " <<<<<<< a\n =======\n >>>>>>> b\n", ""},
		{"escaped, as in a memory about merging", "&lt;&lt;&lt;&lt;&lt;&lt;&lt; a\n=======\n>>>>>>> b\n", ""},
		{"without the middle", "<<<<<<< a\n>>>>>>> b\n", ""},
		{"without the end", "<<<<<<< a\n=======\n", ""},
		{"in another order", ">>>>>>> a\n=======\n<<<<<<< b\n", ""},
		{"eight characters", "<<<<<<<< a\n=======\n>>>>>>> b\n", ""},
	}
	for _, tt := range tests {
		span, ok := MergeMarkers([]byte(tt.src))
		if got := tt.src[span.Start:span.End]; got != tt.line || ok != (tt.line != "") {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, ok, tt.line)
		}
	}
}

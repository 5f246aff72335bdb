package memory

import (
	"fmt"
	"strings"
	"testing"
)

// sample is a believable memory of about size bytes.
func sample(size int) []byte {
	const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Kiln firing schedule</title>
<meta name="memhtml-type" content="semantic">
<meta name="memhtml-status" content="active">
<meta name="memhtml-created" content="2026-05-02T08:30:00Z">
<meta name="memhtml-updated" content="2026-05-02T08:30:00Z">
<meta name="memhtml-confidence" content="0.90">
<meta name="memhtml-tag" content="kiln">
<link rel="memhtml-relates-to" href="/areas/studio/glaze.html">
</head>
<body>
<article>
<p><mark>The bisque kiln ceiling is 1040 degrees</mark> for ten minutes.</p>
`
	const tail = "</article>\n</body>\n</html>\n"
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < size-len(tail)-100; i++ {
		fmt.Fprintf(&b, "<p>Step %d: raise it by <strong>%d</strong> degrees, then wait for <em>one</em> hour.</p>\n", i, i*7)
	}
	b.WriteString(tail)
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	for _, size := range []int{1 << 10, 10 << 10, 1 << 20} {
		src := sample(size)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(src)
			}
		})
	}
}

func BenchmarkSpans(b *testing.B) {
	for _, size := range []int{1 << 10, 10 << 10, 1 << 20} {
		src := sample(size)
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(src).Spans()
			}
		})
		misnested := []byte(strings.Replace(string(src), "<article>", "<article><p><b>x<p>y</b></p>", 1))
		b.Run(fmt.Sprintf("%dKB misnested", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(misnested).Spans()
			}
		})
	}
}

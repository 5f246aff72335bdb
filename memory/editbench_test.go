package memory

import "testing"

// BenchmarkSetMeta shows that an edit costs the head and one copy of the file.
func BenchmarkSetMeta(b *testing.B) {
	for name, src := range map[string][]byte{"1KB": sample(1 << 10), "1MB": sample(1 << 20)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := SetMeta(src, "memhtml-archived", "2026-01-01T00:00:00Z"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

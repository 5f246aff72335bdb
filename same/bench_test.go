package same

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func BenchmarkOf(b *testing.B) {
	all := rows(b, "testdata/pairs.jsonl")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Of(all[i%len(all)].A)
	}
}

// BenchmarkCompare reports percentiles beside the mean. The budget is 40 µs and
// 250 µs.
func BenchmarkCompare(b *testing.B) {
	var all [][2]*Claim
	for _, r := range rows(b, "testdata/pairs.jsonl") {
		all = append(all, [2]*Claim{Of(r.A), Of(r.B)})
	}
	b.ReportAllocs()
	took := make([]time.Duration, 0, 1<<20)
	for i := 0; b.Loop(); i++ {
		p := all[i%len(all)]
		start := time.Now()
		Compare(p[0], p[1])
		if len(took) < cap(took) {
			took = append(took, time.Since(start))
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-ns")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns")
}

// BenchmarkCompareLongest is the worst case: two claims at the cap that share
// everything in another order.
func BenchmarkCompareLongest(b *testing.B) {
	front := strings.Fields(words[:10*maxTokens])[:maxTokens/2]
	x := Of(strings.Join(front, " ") + " " + strings.Join(front, " "))
	slices.Reverse(front)
	y := Of(strings.Join(front, " ") + " " + strings.Join(front, " "))
	for b.Loop() {
		Compare(x, y)
	}
}

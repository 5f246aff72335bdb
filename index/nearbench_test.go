package index

import (
	"fmt"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/corpusgen"
)

// generatedClaims are the claims of a generated corpus.
func generatedClaims(size int) []string {
	var claims []string
	for _, f := range corpusgen.Generate(size, 7).Files {
		if file := NewFile(f.Path, f.Bytes); file.Eligible() {
			claims = append(claims, file.Gist)
		}
	}
	return claims
}

func BenchmarkNear(b *testing.B) {
	for _, size := range []int{20_000, 100_000} {
		claims := generatedClaims(size)
		var n *Near
		b.Run(fmt.Sprintf("all/%d", size), func(b *testing.B) {
			for b.Loop() {
				n = nearOf(b, claims)
			}
		})
		b.Run(fmt.Sprintf("typed/%d", size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				n.Candidates(fmt.Sprintf("%s And %d", claims[i%len(claims)], i))
			}
		})
		b.Run(fmt.Sprintf("saved/%d", size), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				claim := claims[i*37%len(claims)]
				if _, _, err := n.Change(b.Context(), []string{claim + " But not on Sundays."}, []string{claim}, Work{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package embed

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/same"
)

const (
	lexnormDim = 256
	// spread is over how many values a feature is spread, so that two that share
	// one of them are not taken for each other.
	spread = 4
)

// LexnormFloor is the cosine below which two claims are no candidates. The least
// of a pair that same calls the same, of 431 in its sets, is 0.673.
const LexnormFloor = 0.65

// Lexnorm is the Embedder that needs no model: the features of a claim, hashed.
// Its vectors are a function of the claim alone.
//
// Words are not weighted by how rare they are in the corpus: such a weight moves
// with every file that is written and would make all vectors anew, and without
// it no pair of the sets is missed, since features leave out what says nothing.
type Lexnorm struct{}

// ID implements [Embedder]. It changes with the vectors.
func (Lexnorm) ID() string { return "lexnorm-v1" }

// Dim implements [Embedder].
func (Lexnorm) Dim() int { return lexnormDim }

// Threshold implements [Embedder].
func (Lexnorm) Threshold() float64 { return DefaultThreshold }

// Embed implements [Embedder]. It fails when ctx has ended, and never else.
func (l Lexnorm) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if ctx.Err() != nil {
			return nil, failure.New(failure.Cancelled, "The texts were not read: the work was cancelled.").Wrap(ctx.Err())
		}
		vectors[i] = make([]float32, lexnormDim)
		l.Into(vectors[i], same.Of(text))
	}
	return vectors, nil
}

// Into makes the vector of one claim in v, which has Dim values. A claim without
// features has the vector of zeros, which is near to nothing.
func (Lexnorm) Into(v []float32, claim *same.Claim) {
	clear(v)
	claim.Features(func(feature uint64, weight float32) {
		h := feature
		for range spread {
			h = (h ^ h>>31) * 0x9fb21c651e98df25
			h ^= h >> 28
			if h&(1<<40) != 0 {
				v[h%lexnormDim] -= weight
			} else {
				v[h%lexnormDim] += weight
			}
		}
	})
	Unit(v)
}

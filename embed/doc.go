// Package embed turns claims into vectors, behind one interface: without a model,
// from the words themselves ([Lexnorm]); with one, by a server that speaks the
// OpenAI or the Ollama protocol, or from the vectors that the memhtml tools have
// already stored.
//
// Vectors only find candidates. It does not say whether two claims state the
// same fact, it keeps no vectors, and it does not search them.
package embed

import "context"

// Embedder turns texts into vectors of length one.
type Embedder interface {
	// ID names the space of the vectors. Vectors of different ids are never
	// compared.
	ID() string
	// Dim is the number of values of a vector; 0 while nothing has told it.
	Dim() int
	// Threshold is the cosine at and above which two claims are near (M76).
	Threshold() float64
	// Embed returns one vector for each text, in their order. It fails as a
	// whole, with a *failure.Error: ModelUnavailable, EmbedModelMismatch or
	// Cancelled.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// DefaultThreshold is that of an embedder whose settings name none.
const DefaultThreshold = 0.92

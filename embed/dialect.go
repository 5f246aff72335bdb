package embed

import (
	"encoding/json"
	"errors"
	"fmt"
)

// errNotUnderstood is an answer that does not hold a vector for each text.
var errNotUnderstood = errors.New("not the expected answer")

// dialect is what differs between the protocols.
type dialect struct {
	path    string
	request func(Server, []string) any
	// vectors reads the answer for n texts, in their order.
	vectors func(answer []byte, n int) ([][]float32, error)
}

var dialects = map[Protocol]dialect{
	// https://platform.openai.com/docs/api-reference/embeddings/create
	OpenAI: {"v1/embeddings", openAIRequest, openAIVectors},
	// https://docs.ollama.com/api/embed
	Ollama: {"api/embed", ollamaRequest, ollamaVectors},
}

func openAIRequest(s Server, texts []string) any {
	return struct {
		Model          string   `json:"model"`
		Input          []string `json:"input"`
		EncodingFormat string   `json:"encoding_format"`
		Dimensions     int      `json:"dimensions,omitempty"`
	}{s.Model, texts, "float", s.Dim}
}

func openAIVectors(answer []byte, n int) ([][]float32, error) {
	var got struct {
		Data []struct {
			Index     int
			Embedding []float32
		}
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return nil, errNotUnderstood
	}
	vectors := make([][]float32, n)
	for _, d := range got.Data {
		if d.Index < 0 || d.Index >= n || vectors[d.Index] != nil {
			return nil, fmt.Errorf("%w: index %d of %d", errNotUnderstood, d.Index, n)
		}
		vectors[d.Index] = d.Embedding
	}
	return whole(vectors, n)
}

func ollamaRequest(s Server, texts []string) any {
	return struct {
		Model      string   `json:"model"`
		Input      []string `json:"input"`
		Dimensions int      `json:"dimensions,omitempty"`
	}{s.Model, texts, s.Dim}
}

func ollamaVectors(answer []byte, n int) ([][]float32, error) {
	var got struct{ Embeddings [][]float32 }
	if err := json.Unmarshal(answer, &got); err != nil {
		return nil, errNotUnderstood
	}
	return whole(got.Embeddings, n)
}

// whole refuses an answer that leaves a text without its vector.
func whole(vectors [][]float32, n int) ([][]float32, error) {
	if len(vectors) != n {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", errNotUnderstood, len(vectors), n)
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) > maxDim {
			return nil, fmt.Errorf("%w: a vector of %d values", errNotUnderstood, len(v))
		}
	}
	return vectors, nil
}

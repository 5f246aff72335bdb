// Package fakemodel is an embedding server for tests: it speaks the protocol of
// Ollama on a real connection, and its vectors are what a test wants them to be.
// It knows nothing of language: texts that no test has made near are at right
// angles.
package fakemodel

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// dim is how many values a vector has, and so how many texts can be at right
// angles to each other.
const dim = 256

// Server is a running model. Any number of goroutines may use it.
type Server struct {
	*httptest.Server

	mu sync.Mutex // guards the rest
	// vectors are those of texts without their last period; axes is how many
	// directions are taken.
	vectors map[string][]float32
	axes    int
	asked   []string
	status  int
}

// Start returns a server that the caller closes.
func Start() *Server {
	s := &Server{vectors: map[string][]float32{}, status: http.StatusOK}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	return s
}

// Near gives two texts that nothing was said of yet vectors with this cosine.
func (s *Server) Near(cosine float64, a, b string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := slices.Clone(s.vectorLocked(a))
	for i := range v {
		v[i] *= float32(cosine)
	}
	v[s.axes] = float32(math.Sqrt(1 - cosine*cosine))
	s.axes++
	s.vectors[key(b)] = v
}

// Answer makes the server answer every request with a status; 200 mends it.
func (s *Server) Answer(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// Asked are the texts that it was asked for and gave, in order.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func key(text string) string { return strings.TrimSuffix(text, ".") }

// vectorLocked is that of a text, in a direction of its own where none is set.
// Caller holds mu.
func (s *Server) vectorLocked(text string) []float32 {
	if s.vectors[key(text)] == nil {
		v := make([]float32, dim)
		v[s.axes%dim] = 1
		s.axes++
		s.vectors[key(text)] = v
	}
	return s.vectors[key(text)]
}

func (s *Server) answer(w http.ResponseWriter, req *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body struct{ Input []string }
	if s.status != http.StatusOK || req.URL.Path != "/api/embed" || json.NewDecoder(req.Body).Decode(&body) != nil {
		w.WriteHeader(max(s.status, http.StatusBadRequest))
		return
	}
	vectors := [][]float32{}
	for _, text := range body.Input {
		vectors = append(vectors, s.vectorLocked(text))
	}
	s.asked = append(s.asked, body.Input...)
	_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": vectors})
}

package embed

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// model is an embedding server. Its vectors tell their text: (length, 1), scaled.
type model struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex // guards requests and keys
	requests [][]string
	keys     []string
}

// newModel serves answer, which may be nil for a sound one; try counts from 1.
func newModel(t *testing.T, answer func(w http.ResponseWriter, req *http.Request, try int, texts []string)) *model {
	m := &model{t: t}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var body struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(req.Body).Decode(&body); err != nil || body.Model != "m" || req.Method != http.MethodPost {
			t.Errorf("asked %s %+v, %v", req.Method, body, err)
		}
		m.mu.Lock()
		m.requests, m.keys = append(m.requests, body.Input), append(m.keys, req.Header.Get("Authorization"))
		try := len(m.requests)
		m.mu.Unlock()
		if answer == nil {
			sound(w, req, body.Input)
			return
		}
		answer(w, req, try, body.Input)
	}))
	t.Cleanup(m.Close)
	return m
}

// sound answers in the protocol of the path, OpenAI's in reverse order.
func sound(w http.ResponseWriter, req *http.Request, texts []string) {
	if req.URL.Path == "/api/embed" {
		vectors := [][]float32{}
		for _, text := range texts {
			vectors = append(vectors, []float32{float32(len(text)), 1})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": vectors})
		return
	}
	data := []map[string]any{}
	for i := len(texts) - 1; i >= 0; i-- {
		data = append(data, map[string]any{"index": i, "embedding": []float32{float32(len(texts[i])), 1}})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

func (m *model) remote(change ...func(*Server)) *Remote {
	m.t.Helper()
	server := Server{Protocol: OpenAI, URL: m.URL, Model: "m"}
	for _, c := range change {
		c(&server)
	}
	r, err := NewRemote(server)
	if err != nil {
		m.t.Fatal(err)
	}
	r.pause = time.Millisecond
	return r
}

func (m *model) asked() [][]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests
}

func TestRemoteAnswersInOrderInBothProtocols(t *testing.T) {
	for _, protocol := range []Protocol{OpenAI, Ollama} {
		t.Run(string(protocol), func(t *testing.T) {
			m := newModel(t, nil)
			r := m.remote(func(s *Server) { s.Protocol, s.Key = protocol, "secret" })
			got, err := r.Embed(t.Context(), []string{"a", "bb", "cccc"})
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range []float64{1, 2, 4} {
				want := []float64{n / math.Hypot(n, 1), 1 / math.Hypot(n, 1)}
				if math.Abs(float64(got[i][0])-want[0])+math.Abs(float64(got[i][1])-want[1]) > 1e-6 {
					t.Errorf("vector %d is %v, want %v", i, got[i], want)
				}
			}
			if r.Dim() != 2 || r.ID() != string(protocol)+":m" || m.keys[0] != "Bearer secret" {
				t.Errorf("%d dimensions, %s, key %q", r.Dim(), r.ID(), m.keys[0])
			}
		})
	}
}

func TestRemoteAsksInBatches(t *testing.T) {
	m := newModel(t, nil)
	texts := make([]string, 150)
	for i := range texts {
		texts[i] = fmt.Sprint(i)
	}
	texts[149] = strings.Repeat("x", batchBytes)
	got, err := m.remote().Embed(t.Context(), texts)
	if err != nil || len(got) != 150 {
		t.Fatalf("%d vectors, %v", len(got), err)
	}
	var sizes []int
	for _, r := range m.asked() {
		sizes = append(sizes, len(r))
	}
	if diff := cmp.Diff([]int{64, 64, 21, 1}, sizes); diff != "" {
		t.Error(diff)
	}
	if got, err := m.remote().Embed(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("nothing: %v, %v", got, err)
	}
}

// What may pass is tried again; what will not is told at once. No failure
// repeats a text, a key or what the server wrote.
func TestRemoteFailures(t *testing.T) {
	type answer func(w http.ResponseWriter, req *http.Request, try int, texts []string)
	write := func(text string) answer {
		return func(w http.ResponseWriter, _ *http.Request, _ int, texts []string) { fmt.Fprint(w, text) }
	}
	status := func(code int, until int) answer {
		return func(w http.ResponseWriter, req *http.Request, try int, texts []string) {
			if try > until {
				sound(w, req, texts)
				return
			}
			w.WriteHeader(code)
			fmt.Fprint(w, texts)
		}
	}
	tests := []struct {
		name   string
		answer answer
		tries  int
		code   failure.Code
		says   string
	}{
		{"busy twice", status(429, 2), 3, "", ""},
		{"broken once", status(500, 1), 2, "", ""},
		{"busy for good", status(429, 99), maxTries, failure.ModelUnavailable, "status 429"},
		{"broken for good", status(503, 99), maxTries, failure.ModelUnavailable, "status 503"},
		{"key refused", status(401, 99), 1, failure.ModelUnavailable, "refuses the key"},
		{"no such model", status(404, 99), 1, failure.ModelUnavailable, "does not know the model"},
		{"text refused", status(400, 99), 1, failure.ModelUnavailable, "status 400"},
		{"led elsewhere", func(w http.ResponseWriter, req *http.Request, _ int, _ []string) {
			http.Redirect(w, req, "/elsewhere", http.StatusTemporaryRedirect)
		}, 1, failure.ModelUnavailable, "not followed"},
		{"not JSON", write("<p>hello"), 1, failure.ModelUnavailable, "something else than vectors"},
		{"not a number", write(`{"data":[{"index":0,"embedding":[NaN,1]}]}`), 1, failure.ModelUnavailable, "something else"},
		{"more than a number", write(`{"data":[{"index":0,"embedding":[1e39,1]}]}`), 1, failure.ModelUnavailable, "something else"},
		{"no direction", write(`{"data":[{"index":0,"embedding":[0,0]}]}`), 1, failure.ModelUnavailable, "no direction"},
		{"nulls", write(`{"data":[{"index":0,"embedding":[null,null]}]}`), 1, failure.ModelUnavailable, "no direction"},
		{"no values", write(`{"data":[{"index":0,"embedding":[]}]}`), 1, failure.ModelUnavailable, "something else"},
		{"no vectors", write(`{"data":[]}`), 1, failure.ModelUnavailable, "something else"},
		{"an index out of range", write(`{"data":[{"index":7,"embedding":[1,2]}]}`), 1, failure.ModelUnavailable, "something else"},
		{"an index twice", write(`{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}]}`), 1, failure.ModelUnavailable, "something else"},
		{"too many values", write(`{"data":[{"index":0,"embedding":[1` + strings.Repeat(",1", maxDim) + `]}]}`), 1, failure.ModelUnavailable, "something else"},
		{"another dimension", write(`{"data":[{"index":0,"embedding":[1,2,3]}]}`), 1, failure.EmbedModelMismatch, "3 dimensions in place of 2"},
		{"cut short once", func(w http.ResponseWriter, req *http.Request, try int, texts []string) {
			if try > 1 {
				sound(w, req, texts)
				return
			}
			w.Header().Set("Content-Length", "999")
			fmt.Fprint(w, `{"data":[{"index":0,`)
		}, 2, "", ""},
		{"an answer without end", func(w http.ResponseWriter, req *http.Request, _ int, _ []string) {
			fmt.Fprint(w, `{"data":[{"index":0,"embedding":[1`)
			for zeros := strings.Repeat(",0", 1<<12); req.Context().Err() == nil; {
				if _, err := fmt.Fprint(w, zeros); err != nil {
					return
				}
			}
		}, 1, failure.ModelUnavailable, "something else"},
		{"half an answer, then nothing", func(w http.ResponseWriter, req *http.Request, _ int, _ []string) {
			fmt.Fprint(w, `{"data":[`)
			_ = http.NewResponseController(w).Flush()
			<-req.Context().Done()
		}, maxTries, failure.ModelUnavailable, "does not answer within"},
		{"hung up for good", func(http.ResponseWriter, *http.Request, int, []string) { panic(http.ErrAbortHandler) }, maxTries, failure.ModelUnavailable, "cannot be reached"},
		{"slow for good", func(_ http.ResponseWriter, req *http.Request, _ int, _ []string) { <-req.Context().Done() }, maxTries, failure.ModelUnavailable, "does not answer within"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newModel(t, test.answer)
			r := m.remote(func(s *Server) { s.Dim, s.Key, s.Timeout = 2, "secret", 200*time.Millisecond })
			_, err := r.Embed(t.Context(), []string{"the gate code"})
			if tries := len(m.asked()); tries != test.tries {
				t.Errorf("%d requests, want %d", tries, test.tries)
			}
			if test.code == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if failure.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v %v, want %v … %s", failure.CodeOf(err), err, test.code, test.says)
			}
			if strings.Contains(err.Error(), "gate") || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v tells too much", err)
			}
		})
	}
}

// TestRemoteStaysWithItsHost: a server that sends on to another host learns
// nothing for it, and the other host is told neither the texts nor the key.
func TestRemoteStaysWithItsHost(t *testing.T) {
	elsewhere := newModel(t, nil)
	m := newModel(t, func(w http.ResponseWriter, req *http.Request, _ int, _ []string) {
		http.Redirect(w, req, elsewhere.URL+req.URL.Path, http.StatusPermanentRedirect)
	})
	if _, err := m.remote(func(s *Server) { s.Key = "secret" }).Embed(t.Context(), []string{"a"}); failure.CodeOf(err) != failure.ModelUnavailable {
		t.Error(err)
	}
	if asked := elsewhere.asked(); len(asked) > 0 {
		t.Errorf("the other host was asked %q", asked)
	}
}

// TestRemoteMeetsAHalfClosedConnection, one whose server reads on and says nothing
// more.
func TestRemoteMeetsAHalfClosedConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
			_ = conn.(*net.TCPConn).CloseWrite()
			go func() { _, _ = io.Copy(io.Discard, conn); conn.Close() }()
		}
	}()
	r, err := NewRemote(Server{Protocol: Ollama, URL: "http://" + listener.Addr().String(), Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	r.pause = time.Millisecond
	if _, err := r.Embed(t.Context(), []string{"a"}); failure.CodeOf(err) != failure.ModelUnavailable || !strings.Contains(err.Error(), "cannot be reached") {
		t.Error(err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-3": 0, "7": 7 * time.Second, "86400": longestPause, "99999999999999999999": 0,
		"Fri, 01 May 2026 12:00:05 GMT": 5 * time.Second, "Fri, 01 May 2026 11:00:00 GMT": 0, "Sat, 02 May 2026 12:00:00 GMT": longestPause,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func TestRemoteWaitsAsLongAsTheServerAsks(t *testing.T) {
	m := newModel(t, func(w http.ResponseWriter, req *http.Request, try int, texts []string) {
		if try == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		sound(w, req, texts)
	})
	start := time.Now()
	if _, err := m.remote().Embed(t.Context(), []string{"a"}); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(start); waited < time.Second {
		t.Errorf("asked again after %v", waited)
	}
}

func TestRemoteEndsWithItsContext(t *testing.T) {
	arrived := make(chan struct{}, 1)
	m := newModel(t, func(_ http.ResponseWriter, req *http.Request, _ int, _ []string) {
		arrived <- struct{}{}
		<-req.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	if _, err := m.remote().Embed(ctx, []string{"a"}); failure.CodeOf(err) != failure.Cancelled {
		t.Errorf("%v", err)
	}
}

func TestSettingsOfAServer(t *testing.T) {
	good := Server{Protocol: OpenAI, URL: "https://example.org/base/", Model: "m"}
	r, err := NewRemote(good)
	if err != nil || r.endpoint != "https://example.org/base/v1/embeddings" || r.Threshold() != DefaultThreshold || r.Dim() != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	for name, test := range map[string]struct {
		change func(*Server)
		says   string
	}{
		"protocol":           {func(s *Server) { s.Protocol = "grpc" }, "embedder.use"},
		"no url":             {func(s *Server) { s.URL = "" }, "url"},
		"a file":             {func(s *Server) { s.URL = "file:///etc/passwd" }, "url"},
		"a password":         {func(s *Server) { s.URL = "https://a:b@example.org" }, "url"},
		"a query":            {func(s *Server) { s.URL = "https://example.org?key=1" }, "url"},
		"a plain key":        {func(s *Server) { s.URL, s.Key = "http://example.org", "k" }, "unencrypted"},
		"a key of two lines": {func(s *Server) { s.Key = "k\nX: y" }, "embedder.key"},
		"no model":           {func(s *Server) { s.Model = "" }, "model"},
		"dimensions":         {func(s *Server) { s.Dim = maxDim + 1 }, "dimensions"},
		"threshold":          {func(s *Server) { s.Threshold = 1.01 }, "threshold"},
		"no threshold":       {func(s *Server) { s.Threshold = math.NaN() }, "threshold"},
		"timeout":            {func(s *Server) { s.Timeout = -1 }, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			server := good
			test.change(&server)
			if _, err := NewRemote(server); failure.CodeOf(err) != failure.InvalidFlag || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%v, want one about %s", err, test.says)
			}
		})
	}
	local := Server{Protocol: Ollama, URL: "http://127.0.0.1:11434", Model: "m", Key: "k"}
	if _, err := NewRemote(local); err != nil {
		t.Errorf("a key for this machine: %v", err)
	}
}

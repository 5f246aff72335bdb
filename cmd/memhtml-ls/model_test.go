package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memhtml-ls/memhtml-ls/internal/fakemodel"
)

// modelKey is where a transcript keeps its *runningModel.
type modelKey struct{}

type runningModel = atomic.Pointer[fakemodel.Server]

// model FILE starts an embedding server and makes it the embedder of the person's
// settings. A line of FILE is "COSINE TEXT. | TEXT.": so near are the two; every
// other text is near to none. model break and model mend turn it off and on.
func scriptModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE|break|mend")
	}
	running := ts.Value(modelKey{}).(*runningModel)
	switch args[0] {
	case "break":
		running.Load().Answer(http.StatusInternalServerError)
		return
	case "mend":
		running.Load().Answer(http.StatusOK)
		return
	}
	m := fakemodel.Start()
	ts.Defer(m.Close)
	running.Store(m)
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		number, texts, _ := strings.Cut(strings.TrimSpace(line), " ")
		a, b, ok := strings.Cut(texts, " | ")
		cosine, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil {
			ts.Fatalf("%q is not COSINE TEXT. | TEXT.", line)
		}
		m.Near(cosine, a, b)
	}
	writeFile(ts, configPath(ts), fmt.Sprintf(`{"embedder": {"use": "ollama", "url": %q, "model": "m"}}`, m.URL))
}

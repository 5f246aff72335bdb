package lsp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// script is everything a client says, framed.
type script struct{ bytes.Buffer }

func (s *script) say(id int, method string, params any) {
	message := fakeeditor.Object{"jsonrpc": "2.0", "method": method, "params": params}
	if id > 0 {
		message["id"] = id
	}
	body, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(s, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// hello begins a session in a folder.
func hello(dir string) *script {
	var s script
	s.say(1, "initialize", fakeeditor.Object{"rootUri": fakeeditor.URI(dir), "capabilities": fakeeditor.Object{}})
	s.say(0, "initialized", fakeeditor.Object{})
	return &s
}

func (s *script) archive(id int, path string) {
	s.say(id, "workspace/executeCommand", fakeeditor.Object{
		"command": "memhtml.archive", "arguments": []any{fakeeditor.Object{"uri": fakeeditor.URI(path)}},
	})
}

// answers runs a server over a script that ends, and returns the answers by id.
func answers(t *testing.T, s *script) map[string]string {
	t.Helper()
	var out bytes.Buffer
	server(t, lsp.Options{})(t.Context(), &s.Buffer, &out)
	got := map[string]string{}
	for in := bufio.NewReader(&out); ; {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err == io.EOF {
			return got
		}
		n, atoiErr := strconv.Atoi(header.Get("Content-Length"))
		body := make([]byte, n)
		if _, readErr := io.ReadFull(in, body); err != nil || atoiErr != nil || readErr != nil {
			t.Fatalf("the output is no frame: %v %v %v", err, atoiErr, readErr)
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal(body, &m); err != nil {
			t.Fatal(err)
		}
		if m.Method == "" {
			got[string(m.ID)] = string(body)
		}
	}
}

// Requests right before the end of input, or before a goodbye, were answered
// with their cancellation, or with "not in an open memory root", or not at all
// although they had made their commit.
func TestRequestsRightBeforeTheEndAreAnswered(t *testing.T) {
	goodbyes := map[string]func(*script){
		"end of input": func(*script) {},
		"shutdown and exit": func(s *script) {
			s.say(8, "shutdown", nil)
			s.say(0, "exit", nil)
		},
		"exit": func(s *script) { s.say(0, "exit", nil) },
	}
	for name, goodbye := range goodbyes {
		t.Run(name, func(t *testing.T) {
			r := pair(t)
			s := hello(r.dir)
			s.say(0, "textDocument/didOpen", fakeeditor.Object{"textDocument": fakeeditor.Object{
				"uri": fakeeditor.URI(r.path(copied)), "languageId": "html", "version": 1, "text": r.read(copied),
			}})
			s.say(2, "textDocument/codeAction", fakeeditor.Object{
				"textDocument": fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))},
				"range":        fakeeditor.Range{Start: fakeeditor.Position{Line: 12, Character: 10}, End: fakeeditor.Position{Line: 12, Character: 10}},
				"context":      fakeeditor.Object{"diagnostics": []any{}},
			})
			s.say(3, "workspace/executeCommand", fakeeditor.Object{"command": "memhtml.status"})
			s.archive(4, r.path(copied))
			goodbye(s)
			got := answers(t, s)
			for id, want := range map[string]string{
				"1": `"capabilities"`, "2": `"Archive this`, "3": `"status.report"`, "4": `"archive.result"`,
			} {
				if !strings.Contains(got[id], want) {
					t.Errorf("request %s was answered %q, want %s", id, got[id], want)
				}
			}
			if r.commits() != "2" {
				t.Errorf("%s commits", r.commits())
			}
		})
	}
}

// A signal ends a wait for another command, which is no refusal.
func TestSignalCancelsWhatWaits(t *testing.T) {
	r := pair(t)
	r.write(".git/memhtml-ls/writer.lock", "")
	lock := flock.New(r.path(".git/memhtml-ls/writer.lock"))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer lock.Close()
	e := fakeeditor.Open(t, fakeeditor.Config{
		Folders: []string{r.dir}, Capabilities: fakeeditor.VSCode(), InitializationOptions: fakeeditor.Object{"memhtmlStatus": true},
	}, server(t, lsp.Options{}))
	id := e.Go("workspace/executeCommand", fakeeditor.Object{
		"command": "memhtml.archive", "arguments": []any{fakeeditor.Object{"uri": fakeeditor.URI(r.path(copied))}},
	})
	e.Wait("the command", func() bool {
		for _, n := range e.Seen("memhtml/status") {
			if strings.Contains(string(n.Params), `"writing"`) {
				return true
			}
		}
		return false
	})
	e.Kill()
	e.ExitStatus()
	if _, failure := e.Answer(id); failure == nil || failure.Code != -32800 {
		t.Errorf("answered %v", failure)
	}
}

// A client that stopped reading kept the server alive for ever.
func TestEndOfAClientThatDoesNotRead(t *testing.T) {
	ends := map[string]func(cancel context.CancelFunc, in io.Closer){
		"signal":       func(cancel context.CancelFunc, _ io.Closer) { cancel() },
		"end of input": func(_ context.CancelFunc, in io.Closer) { in.Close() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			r := pair(t)
			inRead, inWrite := io.Pipe()
			outRead, outWrite := io.Pipe()
			defer outRead.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				server(t, lsp.Options{})(ctx, inRead, outWrite)
			}()
			s := hello(r.dir)
			for id := range 300 {
				s.say(id+10, "workspace/executeCommand", fakeeditor.Object{"command": "memhtml.status"})
			}
			if _, err := io.Copy(inWrite, s); err != nil {
				t.Fatal(err)
			}
			started := time.Now()
			end(cancel, inWrite)
			select {
			case <-ended:
			case <-time.After(fakeeditor.Patience):
				t.Fatal("the server lives on")
			}
			if took := time.Since(started); took > 10*time.Second {
				t.Errorf("ended after %v", took)
			}
			inWrite.Close()
		})
	}
}

// Where the next message begins after a broken header cannot be known; the log
// says why the session ended.
func TestBrokenHeaderEndsTheSessionWithAWord(t *testing.T) {
	for name, input := range map[string]string{
		"no header":       "hello world\r\n\r\n",
		"no length":       "Content-Type: x\r\n\r\n{}",
		"a negative one":  "Content-Length: -5\r\n\r\n{}",
		"no number":       "Content-Length: five\r\n\r\n{}",
		"too large a one": "Content-Length: 99999999999999999999\r\n\r\n{}",
		"a long line":     strings.Repeat("x", 10000) + ": 1\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			log := &logBuffer{}
			options := lsp.Options{Logger: slog.New(slog.NewTextHandler(log, nil))}
			if code := lsp.Serve(t.Context(), strings.NewReader(input), io.Discard, options); code != 1 {
				t.Errorf("exit status %d", code)
			}
			if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "no proper header") {
				t.Errorf("the log has %d lines: %s", n, log)
			}
		})
	}
}

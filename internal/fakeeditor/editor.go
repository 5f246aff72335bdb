package fakeeditor

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server runs a language server until its input ends or it was told to exit,
// and returns its exit status.
type Server func(ctx context.Context, in io.Reader, out io.Writer) int

// Config says what kind of client the editor is. The zero Config is a client
// without folders that offers nothing.
type Config struct {
	// Folders are the workspace folders; the first one is also rootUri.
	Folders []string
	// Capabilities is one of the presets or built from one by With.
	Capabilities Object
	// InitializationOptions is sent as it is when not nil.
	InitializationOptions any
	// ProcessID is sent as processId; 0 is null.
	ProcessID int
	// Answer, when set, is asked first how to answer a request of the server.
	// handled false leaves it to the editor; it may block, for a client that is
	// slow or never answers.
	Answer func(method string, params json.RawMessage) (result any, handled bool)
	// RepollAfter is how long a client that asks for the findings of the
	// workspace waits between an answer and the next question; 0 is 5 ms.
	RepollAfter time.Duration
	// NoPolling makes a client that pulls ask for open documents alone.
	NoPolling bool
	// Patience is how long a wait lasts before the test fails; 0 is [Patience].
	Patience time.Duration
	// Mortal says that the server may be killed: where its output ends, and what
	// it does not take any more, is no failure then.
	Mortal bool
}

// Editor is one client and its connection. Its methods fail the test instead
// of returning errors, and may be called from one goroutine at a time.
type Editor struct {
	t       testing.TB
	config  Config
	wire    *frames
	stdin   io.Closer
	started time.Time
	gone    chan struct{} // closed when the server has returned
	code    int           // its exit status, once gone
	cancel  context.CancelFunc
	deaf    chan struct{} // closed when nothing is read any more

	mu        sync.Mutex // guards everything below
	changed   chan struct{}
	log       []string
	next      int
	answers   map[string]message
	seen      []Notification
	requests  []Notification
	published map[string][]Publication
	buffers   map[string]*buffer
	encoding  string
	server    Object
	left      bool
	// puller is nil for a client that is pushed to.
	puller *puller
}

// Notification is a message that the server sent without being asked: a
// notification, or a request of its own.
type Notification struct {
	Method string
	Params json.RawMessage
}

// Start runs server on pipes without sending anything. When the test ends the
// editor says goodbye, fails the test if the server does not go, and prints
// the wire log if the test failed.
func Start(t testing.TB, config Config, server Server) *Editor {
	t.Helper()
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	e := newEditor(t, config, outRead, inWrite, cancel)
	go func() {
		code := server(ctx, inRead, outWrite)
		outWrite.Close()
		inRead.Close()
		<-e.deaf // what it said last is taken in
		e.code = code
		close(e.gone)
	}()
	go e.listen()
	t.Cleanup(e.goodbye)
	return e
}

// Attach is Start for a server that already runs, such as a process: from is
// its output, to its input. Its exit status is the caller's business.
func Attach(t testing.TB, config Config, from io.Reader, to io.WriteCloser) *Editor {
	e := newEditor(t, config, from, to, func() {})
	go func() { e.listen(); close(e.gone) }()
	t.Cleanup(e.goodbye)
	return e
}

func newEditor(t testing.TB, config Config, from io.Reader, to io.WriteCloser, cancel context.CancelFunc) *Editor {
	return &Editor{
		t: t, config: config, wire: &frames{in: bufio.NewReader(from), out: to}, stdin: to,
		started: time.Now(), gone: make(chan struct{}), deaf: make(chan struct{}), cancel: cancel,
		changed: make(chan struct{}), answers: map[string]message{}, encoding: "utf-16",
		published: map[string][]Publication{}, buffers: map[string]*buffer{},
	}
}

// Open starts server, initializes it and returns the ready editor.
func Open(t testing.TB, config Config, server Server) *Editor {
	t.Helper()
	e := Start(t, config, server)
	e.Initialize()
	return e
}

// Initialize does the handshake: initialize, then initialized.
func (e *Editor) Initialize() {
	e.t.Helper()
	var result struct{ Capabilities Object }
	e.Call("initialize", e.initializeParams(), &result)
	e.mu.Lock()
	e.server = result.Capabilities
	if named, ok := result.Capabilities["positionEncoding"].(string); ok {
		e.encoding = named
	}
	e.mu.Unlock()
	e.Notify("initialized", Object{})
	e.startPulling()
}

func (e *Editor) initializeParams() Object {
	params := Object{"processId": nil, "rootUri": nil, "workspaceFolders": nil, "capabilities": e.config.Capabilities}
	if e.config.Capabilities == nil {
		params["capabilities"] = Object{}
	}
	if e.config.ProcessID != 0 {
		params["processId"] = e.config.ProcessID
	}
	if e.config.InitializationOptions != nil {
		params["initializationOptions"] = e.config.InitializationOptions
	}
	var folders []Object
	for _, folder := range e.config.Folders {
		folders = append(folders, Object{"uri": URI(folder), "name": filepath.Base(folder)})
	}
	if folders != nil {
		params["rootUri"], params["workspaceFolders"] = folders[0]["uri"], folders
	}
	return params
}

// URI returns the file uri of an absolute path, escaped as little as possible;
// a string that has a scheme already is returned as it is.
func URI(path string) string {
	if strings.Contains(path, ":") {
		return path
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// ServerCapabilities returns what the server said it can do.
func (e *Editor) ServerCapabilities() Object {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.server
}

// Encoding returns the negotiated position encoding.
func (e *Editor) Encoding() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.encoding
}

// Ended reports whether the server is gone.
func (e *Editor) Ended() bool {
	select {
	case <-e.gone:
		return true
	default:
		return false
	}
}

// CloseInput ends the server's input, as an editor that died does.
func (e *Editor) CloseInput() { e.stdin.Close() }

// ExitStatus waits for the server to end and returns its exit status.
func (e *Editor) ExitStatus() int {
	e.t.Helper()
	select {
	case <-e.gone:
		return e.code
	case <-time.After(Patience):
		e.t.Fatal("the server did not end")
		return 0
	}
}

// Leave does shutdown and exit.
func (e *Editor) Leave() int {
	e.t.Helper()
	e.Call("shutdown", nil, nil)
	e.Notify("exit", nil)
	e.mu.Lock()
	e.left = true
	e.mu.Unlock()
	return e.ExitStatus()
}

// goodbye ends the server whatever state it is in.
func (e *Editor) goodbye() {
	if e.t.Failed() {
		e.t.Logf("the wire:\n%s", e.Log())
	}
	e.stdin.Close()
	select {
	case <-e.gone:
	case <-time.After(Patience):
		e.t.Error("the server lives on after its input ended")
	}
	e.cancel()
	<-e.deaf
}

// Kill cancels the context that the server was started with, as a signal does.
func (e *Editor) Kill() { e.cancel() }

// fatal reports a client-side failure from any goroutine.
func (e *Editor) fatal(format string, args ...any) {
	e.t.Errorf("fake editor: %s", fmt.Sprintf(format, args...))
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
)

// client is as much of an editor as the demo needs: it speaks the protocol over
// two pipes, remembers what is published, and answers what it is asked with
// nothing.
type client struct {
	out io.WriteCloser
	// ended is closed when the server stops talking; err says why.
	ended chan struct{}
	err   error

	// writing is held over one message.
	writing sync.Mutex

	// mu guards what has arrived; changed is closed and replaced by every
	// arrival.
	mu        sync.Mutex
	changed   chan struct{}
	requests  int
	answers   map[string]wireMessage
	published map[string][]wireDiagnostic
}

// wireMessage is any message of JSON-RPC.
type wireMessage struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Message string `json:"message"`
}

type wireDiagnostic struct {
	Range    wireRange       `json:"range"`
	Severity int             `json:"severity"`
	Code     string          `json:"code"`
	Source   string          `json:"source,omitempty"`
	Message  string          `json:"message"`
	Related  []wireRelated   `json:"relatedInformation,omitempty"`
	Data     json.RawMessage `json:"data,omitempty"`
}

type wireRelated struct {
	Location struct {
		URI   string    `json:"uri"`
		Range wireRange `json:"range"`
	} `json:"location"`
	Message string `json:"message"`
}

type wireRange struct {
	Start wirePosition `json:"start"`
	End   wirePosition `json:"end"`
}

type wirePosition struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// object is a JSON object of a request.
type object = map[string]any

var errServerEnded = errors.New("the server ended before it answered")

// newClient speaks to a server; it listens until the server closes its output.
func newClient(in io.Reader, out io.WriteCloser) *client {
	c := &client{
		out: out, ended: make(chan struct{}), changed: make(chan struct{}),
		answers: map[string]wireMessage{}, published: map[string][]wireDiagnostic{},
	}
	go c.listen(bufio.NewReader(in))
	return c
}

func (c *client) listen(in *bufio.Reader) {
	defer close(c.ended)
	for {
		var message wireMessage
		params := json.RawMessage{}
		message.Params = &params
		if c.err = readMessage(in, &message); c.err != nil {
			return
		}
		if message.Method != "" && message.ID != nil {
			c.err = c.write(wireMessage{ID: message.ID, Result: json.RawMessage("null")})
		}
		c.keep(message, params)
	}
}

// keep files an answer or a publication, and wakes who waits for it.
func (c *client) keep(message wireMessage, params json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case message.Method == "textDocument/publishDiagnostics":
		var publication struct {
			URI         string           `json:"uri"`
			Diagnostics []wireDiagnostic `json:"diagnostics"`
		}
		if json.Unmarshal(params, &publication) == nil {
			c.published[publication.URI] = publication.Diagnostics
		}
	case message.Method == "":
		c.answers[string(message.ID)] = message
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// wait returns when cond, called with mu held, is true.
func (c *client) wait(ctx context.Context, cond func() bool) error {
	for {
		c.mu.Lock()
		done, changed := cond(), c.changed
		c.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-c.ended:
			return errServerEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// call sends a request and reads its answer into result.
func (c *client) call(ctx context.Context, method string, params, result any) error {
	c.mu.Lock()
	c.requests++
	id := strconv.Itoa(c.requests)
	c.mu.Unlock()
	if err := c.write(wireMessage{ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		return err
	}
	var answer wireMessage
	err := c.wait(ctx, func() (ok bool) {
		answer, ok = c.answers[id]
		return ok
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", method, err)
	case answer.Error != nil:
		return fmt.Errorf("%s: %s", method, answer.Error.Message)
	case result == nil || len(answer.Result) == 0:
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

func (c *client) notify(method string, params any) error {
	return c.write(wireMessage{Method: method, Params: params})
}

func (c *client) write(message wireMessage) error {
	message.Version = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// maxMessage bounds what one message of the server may take.
const maxMessage = 64 << 20

func readMessage(in *bufio.Reader, message *wireMessage) error {
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || length < 0 || length > maxMessage {
		return fmt.Errorf("bad Content-Length %q", header.Get("Content-Length"))
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return err
	}
	return json.Unmarshal(body, message)
}

// fileURI is the uri of an absolute file name.
func fileURI(path string) string {
	slashed := filepath.ToSlash(path)
	if slashed == "" || slashed[0] != '/' {
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

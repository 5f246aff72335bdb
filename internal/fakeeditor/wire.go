package fakeeditor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// message is any JSON-RPC message. A request has ID and Method, a notification
// only Method, an answer only ID.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Error is the error object of an answer.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns code and message.
func (e *Error) Error() string { return fmt.Sprintf("%d %s", e.Code, e.Message) }

// frames reads and writes messages framed by Content-Length headers.
type frames struct {
	in  *bufio.Reader
	mu  sync.Mutex // serialises writes to out
	out io.Writer
}

// write sends body as one frame.
func (f *frames) write(body []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := fmt.Fprintf(f.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// read returns the body of the next frame. Anything between frames that is no
// header is an error: a stray print on the server's output shows here.
func (f *frames) read() ([]byte, error) {
	header, err := textproto.NewReader(f.in).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || len(header) > 2 {
		return nil, fmt.Errorf("not a frame header: %v", header)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(f.in, body)
	return body, err
}

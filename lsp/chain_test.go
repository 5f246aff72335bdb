package lsp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/textproto"
	"strconv"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

// wire is a raw connection to a handler behind the outer stages of the chain.
type wire struct {
	t    *testing.T
	to   io.WriteCloser
	from *bufio.Reader
	conn jsonrpc2.Conn
}

// serveHandler runs handler behind guard, answer and cancel.
func serveHandler(t *testing.T, handler jsonrpc2.Handler) *wire {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	work, stop := context.WithCancel(t.Context())
	r := &running{work: work, late: func(jsonrpc2.ID) {}, cancels: map[jsonrpc2.ID]context.CancelFunc{}}
	messages := newStream(newPipe(inRead), slog.New(slog.DiscardHandler))
	go messages.deliver(outWrite)
	conn := jsonrpc2.NewConn(messages, jsonrpc2.WithCodec(codec{}))
	conn.Go(context.Background(), guard(answer(slog.New(slog.DiscardHandler), r.cancellable(handler))))
	w := &wire{t, inWrite, bufio.NewReader(outRead), conn}
	t.Cleanup(func() {
		inWrite.Close()
		stop()
		conn.Close()
		outRead.Close()
	})
	return w
}

func (w *wire) send(body string) {
	w.t.Helper()
	if _, err := fmt.Fprintf(w.to, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) receive() string {
	w.t.Helper()
	header, err := textproto.NewReader(w.from).ReadMIMEHeader()
	if err != nil {
		w.t.Fatal(err)
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		w.t.Fatal(err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(w.from, body); err != nil {
		w.t.Fatal(err)
	}
	return string(body)
}

func TestPanicsAndErrorsOfHandlers(t *testing.T) {
	w := serveHandler(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		switch req.Method() {
		case "panic":
			panic("secret")
		case "late panic":
			async(ctx)
			panic("secret")
		case "error":
			return nil, fmt.Errorf("secret")
		case "cancelled":
			return nil, fmt.Errorf("reading: %w", context.Canceled)
		default:
			return jsonrpc2.RawMessage(`"fine"`), nil
		}
	})
	for _, method := range []string{"panic", "late panic", "error", "cancelled"} {
		w.send(`{"jsonrpc":"2.0","method":"` + method + `"}`)
	}
	for method, want := range map[string]string{
		"panic": "-32603", "late panic": "-32603", "error": "-32603", "cancelled": "-32800", "other": `"fine"`,
	} {
		w.send(`{"jsonrpc":"2.0","id":"x","method":"` + method + `"}`)
		got := w.receive()
		if !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s was answered %s", method, got)
		}
	}
}

func TestCancelEndsTheHandler(t *testing.T) {
	for name, id := range map[string]string{"a number": "7", "a string": `"seven"`} {
		t.Run(name, func(t *testing.T) {
			started := make(chan struct{})
			w := serveHandler(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
				async(ctx)
				close(started)
				<-ctx.Done()
				return nil, fmt.Errorf("stopped: %w", ctx.Err())
			})
			w.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"wait"}`)
			<-started
			w.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`)
			if got := w.receive(); !strings.Contains(got, "-32800") || !strings.Contains(got, `"id":`+id) {
				t.Errorf("answered %s", got)
			}
		})
	}
}

// A handler that did not let go of the order has returned before the next one
// starts; the library uses its request again at once. Many quick requests catch
// a context that outlives its handler.
func TestQuickRequestsLeaveNothingBehind(t *testing.T) {
	n := 0
	w := serveHandler(t, func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		n++
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		return jsonrpc2.RawMessage(strconv.Itoa(n)), child.Err()
	})
	const requests = 2000
	go func() {
		for i := range requests {
			fmt.Fprintf(w.to, "Content-Length: %d\r\n\r\n%s", len(quick(i)), quick(i))
		}
	}()
	for i := range requests {
		if got := w.receive(); !strings.Contains(got, fmt.Sprintf(`"id":%d,"result":%d`, i, i+1)) {
			t.Fatalf("request %d was answered %s", i, got)
		}
	}
}

func quick(i int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"quick"}`, i) }

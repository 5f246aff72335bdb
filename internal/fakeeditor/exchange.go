package fakeeditor

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"
)

// Go sends a request and returns its id without waiting for the answer.
func (e *Editor) Go(method string, params any) string {
	e.t.Helper()
	e.mu.Lock()
	e.next++
	id := strconv.Itoa(e.next)
	e.mu.Unlock()
	e.send(message{ID: json.RawMessage(id), Method: method, Params: e.encode(params)})
	return id
}

// Answer waits for the answer to a request sent by Go.
func (e *Editor) Answer(id string) (json.RawMessage, *Error) {
	e.t.Helper()
	var got message
	e.Wait("the answer to request "+id, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		answer, ok := e.answers[id]
		got = answer
		return ok
	})
	return got.Result, got.Error
}

// Answered reports whether the answer to a request is there.
func (e *Editor) Answered(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.answers[id]
	return ok
}

// Try sends a request and returns its answer.
func (e *Editor) Try(method string, params any) (json.RawMessage, *Error) {
	e.t.Helper()
	return e.Answer(e.Go(method, params))
}

// Call sends a request, fails the test on an error and decodes the result into
// result unless that is nil.
func (e *Editor) Call(method string, params, result any) {
	e.t.Helper()
	raw, failure := e.Try(method, params)
	if failure != nil {
		e.t.Fatalf("%s: %v", method, failure)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(raw, result); err != nil {
		e.t.Fatalf("%s: %v in %s", method, err, raw)
	}
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	e.t.Helper()
	e.send(message{Method: method, Params: e.encode(params)})
}

// Send sends body as one frame as it is.
func (e *Editor) Send(body string) {
	e.t.Helper()
	e.mu.Lock()
	e.noteLocked("-->", []byte(body))
	e.mu.Unlock()
	if err := e.wire.write([]byte(body)); err != nil && !e.over() {
		e.t.Fatalf("sending: %v", err)
	}
}

func (e *Editor) send(m message) {
	e.t.Helper()
	e.Send(string(envelope(m)))
}

// envelope adds the version member that message leaves out.
func envelope(m message) []byte {
	body, err := json.Marshal(struct {
		Version string `json:"jsonrpc"`
		message
	}{"2.0", m})
	if err != nil {
		panic(err)
	}
	return body
}

func (e *Editor) encode(params any) json.RawMessage {
	if params == nil {
		return nil
	}
	if raw, ok := params.(json.RawMessage); ok {
		return raw
	}
	body, err := json.Marshal(params)
	if err != nil {
		e.t.Fatal(err)
	}
	return body
}

// over reports whether the connection is expected to be broken.
func (e *Editor) over() bool {
	if e.config.Mortal || e.Ended() {
		return true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.left
}

// listen takes in messages until the server's output ends.
func (e *Editor) listen() {
	defer close(e.deaf)
	for {
		body, err := e.wire.read()
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) && !e.config.Mortal {
				e.fatal("the server's output is broken: %v", err)
			}
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			e.fatal("not a message: %v in %s", err, body)
			continue
		}
		e.take(m, body)
	}
}

// take files one message and answers it if it is a request.
func (e *Editor) take(m message, body []byte) {
	e.mu.Lock()
	switch {
	case m.Method == "":
		// A message that is none is answered with the id null.
		if _, twice := e.answers[string(m.ID)]; twice && string(m.ID) != "null" {
			e.fatal("request %s was answered twice", m.ID)
		}
		e.answers[string(m.ID)] = m
	case m.ID != nil:
		e.requests = append(e.requests, Notification{m.Method, m.Params})
	default:
		e.seen = append(e.seen, Notification{m.Method, m.Params})
		e.filePublicationLocked(m)
	}
	follow := e.takePullLocked(m)
	e.noteLocked("<--", body)
	e.mu.Unlock()
	e.sendLater(follow)
	if m.ID != nil && m.Method != "" {
		go e.reply(m)
	}
}

// reply answers a request of the server.
func (e *Editor) reply(m message) {
	result, failure := e.result(m)
	answer := message{ID: m.ID, Error: failure}
	if failure == nil {
		body, err := json.Marshal(result)
		if err != nil {
			e.fatal("%v", err)
		}
		answer.Result = body
	}
	body := envelope(answer)
	e.mu.Lock()
	e.noteLocked("-->", body)
	e.mu.Unlock()
	// A server that has gone needs no answer.
	_ = e.wire.write(body)
}

func (e *Editor) result(m message) (any, *Error) {
	if e.config.Answer != nil {
		if result, handled := e.config.Answer(m.Method, m.Params); handled {
			return result, nil
		}
	}
	switch m.Method {
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create":
		return nil, nil
	case "window/showMessageRequest":
		return nil, nil
	case "window/showDocument":
		return Object{"success": true}, nil
	case "workspace/configuration":
		return e.configuration(m.Params), nil
	case "workspace/diagnostic/refresh":
		e.refresh()
		return nil, nil
	case "workspace/workspaceFolders":
		return e.initializeParams()["workspaceFolders"], nil
	case "workspace/applyEdit":
		return e.applyRequest(m.Params), nil
	default:
		return nil, &Error{Code: -32601, Message: "no such method"}
	}
}

// configuration answers null for each item asked for.
func (e *Editor) configuration(params json.RawMessage) []any {
	var asked struct{ Items []any }
	if err := json.Unmarshal(params, &asked); err != nil {
		e.fatal("%v", err)
	}
	return make([]any, len(asked.Items))
}

// Seen returns the notifications of a method so far, oldest first.
func (e *Editor) Seen(method string) []Notification {
	e.mu.Lock()
	defer e.mu.Unlock()
	return only(e.seen, method)
}

// Asked returns the server's own requests of a method so far, oldest first.
func (e *Editor) Asked(method string) []Notification {
	e.mu.Lock()
	defer e.mu.Unlock()
	return only(e.requests, method)
}

func only(all []Notification, method string) []Notification {
	var some []Notification
	for _, n := range all {
		if n.Method == method {
			some = append(some, n)
		}
	}
	return some
}

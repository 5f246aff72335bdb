package fakeeditor

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// puller asks for findings as the client of Visual Studio Code does, where the
// server offers to be asked. Findings of a document are asked for when it is
// opened and after each change, and a question that was overtaken is cancelled;
// those of the workspace again and again. What a document was answered goes
// before what the workspace was.
type puller struct {
	identifier string
	// documents are the open ones, by uri.
	documents map[string]*pulledDocument
	// opened are the uris of documents that were opened, by path.
	opened map[string]string
	// workspace are the ids of what was told of the workspace, by uri.
	workspace map[string]string
	// asked are the requests without an answer, by id.
	asked map[string]question
	// polling says that the workspace is asked about.
	polling bool
}

type pulledDocument struct {
	resultID string
	// active is the request under way, "" without one; again says that another
	// one follows it.
	active string
	again  bool
}

// question is one request for findings: of a document, or of the workspace.
type question struct {
	uri      string // "" for the workspace
	version  int
	previous string
	token    string
}

// report is any report of findings.
type report struct {
	Kind     string            `json:"kind"`
	URI      string            `json:"uri"`
	Version  *int              `json:"version"`
	ResultID string            `json:"resultId"`
	Items    []Diagnostic      `json:"items"`
	Related  map[string]report `json:"relatedDocuments"`
}

// startPulling begins to ask where the server offers it.
func (e *Editor) startPulling() {
	provider, offered := e.ServerCapabilities()["diagnosticProvider"].(Object)
	if !offered {
		return
	}
	p := &puller{
		documents: map[string]*pulledDocument{}, opened: map[string]string{},
		workspace: map[string]string{}, asked: map[string]question{},
	}
	p.identifier, _ = provider["identifier"].(string)
	p.polling = provider["workspaceDiagnostics"] == true && !e.config.NoPolling
	e.mu.Lock()
	e.puller = p
	poll := e.pollLocked()
	e.mu.Unlock()
	e.sendLater(poll)
}

// Pulls reports whether the editor asks for findings.
func (e *Editor) Pulls() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.puller != nil
}

// pull asks for the findings of an open document, where findings are asked for.
func (e *Editor) pull(uri string) {
	e.mu.Lock()
	messages := e.pullLocked(uri)
	e.mu.Unlock()
	e.sendLater(messages)
}

// pullLocked returns what is sent to pull. Caller holds e.mu.
func (e *Editor) pullLocked(uri string) []message {
	if e.puller == nil {
		return nil
	}
	d := e.puller.documents[uri]
	if d == nil {
		d = &pulledDocument{}
		e.puller.documents[uri] = d
		if u, err := url.Parse(uri); err == nil {
			e.puller.opened[u.Path] = uri
		}
	}
	if d.active != "" {
		cancelled := d.again
		d.again = true
		if cancelled {
			return nil
		}
		return []message{{Method: "$/cancelRequest", Params: json.RawMessage(`{"id":` + d.active + `}`)}}
	}
	q := question{uri: uri, previous: d.resultID}
	if b := e.buffers[uri]; b != nil {
		q.version = b.version
	}
	params := Object{"textDocument": Object{"uri": uri}, "identifier": e.puller.identifier}
	if d.resultID != "" {
		params["previousResultId"] = d.resultID
	}
	ask := e.askLocked("textDocument/diagnostic", params, q)
	d.active = string(ask.ID)
	return []message{ask}
}

// askLocked makes a request for findings. Caller holds e.mu.
func (e *Editor) askLocked(method string, params Object, q question) message {
	e.next++
	id := strconv.Itoa(e.next)
	e.puller.asked[id] = q
	body, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	return message{ID: json.RawMessage(id), Method: method, Params: body}
}

// forgetLocked lets go of a document that is being closed: it is asked for a
// last time, and the answer thrown away. Caller holds e.mu.
func (e *Editor) forgetLocked(uri string) []message {
	if e.puller == nil || e.puller.documents[uri] == nil {
		return nil
	}
	delete(e.puller.workspace, uri)
	return e.pullLocked(uri)
}

// pollLocked asks for the findings of the workspace. Uris are sent back in a
// spelling of the client's own. Caller holds e.mu.
func (e *Editor) pollLocked() []message {
	p := e.puller
	if !p.polling {
		return nil
	}
	previous := []Object{}
	for uri, id := range p.workspace {
		if d := p.documents[uri]; d != nil {
			id = d.resultID
		}
		if id != "" {
			previous = append(previous, Object{"uri": respell(uri), "value": id})
		}
	}
	token := "workspace-" + strconv.Itoa(e.next)
	return []message{e.askLocked("workspace/diagnostic", Object{
		"identifier": p.identifier, "previousResultIds": previous, "partialResultToken": token,
	}, question{token: token})}
}

// respell escapes everything in a uri that may be, as Visual Studio Code does.
func respell(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return uri
	}
	return "file://" + strings.ReplaceAll(strings.ReplaceAll(url.QueryEscape(u.Path), "+", "%20"), "%2F", "/")
}

// spelledLocked is the uri under which the editor files what the server tells of
// one: that of the document it had open, if it had. Caller holds e.mu.
func (e *Editor) spelledLocked(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return uri
	}
	if opened, ok := e.puller.opened[u.Path]; ok {
		return opened
	}
	return URI(u.Path)
}

// takePullLocked takes in an answer, or a part of one, and returns what is sent
// then. Caller holds e.mu.
func (e *Editor) takePullLocked(m message) []message {
	if e.puller == nil {
		return nil
	}
	if m.Method == "$/progress" {
		e.takePartLocked(m.Params)
		return nil
	}
	q, ours := e.puller.asked[string(m.ID)]
	if !ours || m.Method != "" {
		return nil
	}
	delete(e.puller.asked, string(m.ID))
	if m.Error != nil && m.Error.Code == -32600 {
		return nil // the server is being shut down
	}
	if m.Error != nil && m.Error.Code != -32800 && m.Error.Code != -32802 {
		e.fatal("a question for findings was answered %v", m.Error)
	}
	if q.uri != "" {
		return e.takeDocumentLocked(q, m)
	}
	if m.Error == nil {
		e.takeReportsLocked(m.Result)
	}
	if m.Error == nil || !strings.Contains(string(m.Error.Data), "false") {
		time.AfterFunc(max(e.config.RepollAfter, 5*time.Millisecond), func() {
			e.mu.Lock()
			poll := e.pollLocked()
			e.mu.Unlock()
			e.sendLater(poll)
		})
	}
	return nil
}

func (e *Editor) takePartLocked(params json.RawMessage) {
	var part struct {
		Token any
		Value json.RawMessage
	}
	if err := json.Unmarshal(params, &part); err != nil {
		e.fatal("bad progress %s: %v", params, err)
	}
	for _, q := range e.puller.asked {
		if q.uri == "" && q.token == part.Token {
			e.takeReportsLocked(part.Value)
		}
	}
}

// takeReportsLocked files reports about the workspace. Caller holds e.mu.
func (e *Editor) takeReportsLocked(body json.RawMessage) {
	var reports struct{ Items []report }
	if err := json.Unmarshal(body, &reports); err != nil || reports.Items == nil {
		e.fatal("bad reports %s: %v", body, err)
	}
	for _, r := range reports.Items {
		uri := e.spelledLocked(r.URI)
		if e.puller.documents[uri] == nil {
			e.fileReportLocked(uri, r)
		}
		e.puller.workspace[uri] = r.ResultID
	}
}

// takeDocumentLocked files the answer about a document, unless it was overtaken
// or closed since. Caller holds e.mu.
func (e *Editor) takeDocumentLocked(q question, m message) []message {
	d := e.puller.documents[q.uri]
	overtaken := d.again || m.Error != nil
	d.active, d.again = "", false
	if e.buffers[q.uri] == nil {
		delete(e.puller.documents, q.uri)
		return nil
	}
	if overtaken {
		if m.Error != nil && strings.Contains(string(m.Error.Data), "false") {
			return nil
		}
		return e.pullLocked(q.uri)
	}
	var r report
	if err := json.Unmarshal(m.Result, &r); err != nil {
		e.fatal("bad report %s: %v", m.Result, err)
		return nil
	}
	if r.Kind == "unchanged" && (r.ResultID != q.previous || q.previous == "") {
		e.fatal("unchanged since %q, which is not %q", r.ResultID, q.previous)
	}
	d.resultID, r.Version = r.ResultID, &q.version
	e.fileReportLocked(q.uri, r)
	for uri, other := range r.Related {
		uri = e.spelledLocked(uri)
		if d := e.puller.documents[uri]; d != nil {
			d.resultID = other.ResultID
		}
		e.fileReportLocked(uri, other)
	}
	return nil
}

// fileReportLocked keeps what a file shows as if it had been published. Caller
// holds e.mu.
func (e *Editor) fileReportLocked(uri string, r report) {
	all := e.published[uri]
	switch {
	case r.Kind == "unchanged" && len(all) > 0:
		last := all[len(all)-1]
		last.Version = r.Version
		e.published[uri] = append(slices.Clone(all[:len(all)-1]), last)
	case r.Kind == "full" && r.Items != nil:
		e.published[uri] = append(all, Publication{URI: uri, Version: r.Version, Diagnostics: r.Items})
	default:
		e.fatal("a report of kind %q about %s with items %v", r.Kind, uri, r.Items)
	}
}

// refresh asks again for every open document, as the server wants.
func (e *Editor) refresh() {
	e.mu.Lock()
	var messages []message
	for uri := range e.buffers {
		messages = append(messages, e.pullLocked(uri)...)
	}
	e.mu.Unlock()
	e.sendLater(messages)
}

// sendLater sends messages from a goroutine of its own, which no server has to
// wait for.
func (e *Editor) sendLater(messages []message) {
	if len(messages) == 0 {
		return
	}
	go func() {
		for _, m := range messages {
			body := envelope(m)
			e.mu.Lock()
			e.noteLocked("-->", body)
			e.mu.Unlock()
			// A server that has gone is asked nothing.
			_ = e.wire.write(body)
		}
	}()
}

package lsp

import (
	"sync"
	"time"

	"go.lsp.dev/uri"
)

// pulled is the channel of clients that ask for findings. It holds what every
// file shows, and remembers what the client knows of it: from that follows what
// a request for the workspace is answered, and whether the client has to be told
// to ask again. A change costs a few map operations, whatever the number of
// files.
//
// Files are known here by the canonical form of their uri: clients send back
// what they were told in a spelling of their own.
type pulled struct {
	// stale is signalled when the client may have to be told to ask again.
	stale chan struct{}

	mu sync.Mutex // guards everything below
	// changed is closed and replaced when anything below changes.
	changed chan struct{}
	// shown are the files with findings, and the open documents.
	shown map[string]*findings
	// told is what the client was last told of a file. Its id is uncertain where
	// the client may have thrown that away.
	told map[string]telling
	// documents are the ids of what the client was last told of an open document
	// that it asks for. It keeps those apart from what it is told of the workspace.
	documents map[string]string
	// news are the files that show something else than was told.
	news map[string]bool
	// old are the open documents that show something else than documents say.
	old map[string]bool
	// retold is how often the client was told again what a file shows.
	retold map[string]int
	// brought are the last answers that brought other files.
	brought []bringing
	// poll is the request for the workspace that is being held, nil without one.
	poll *poll
	// settled says that everything was looked at once.
	settled bool
	// over says that nothing is answered any more.
	over bool
	refreshes

	// related says that the answer about one document brings what is new of
	// others; it is not changed.
	related bool
}

// telling is what the client was told of a file, and under which uri.
type telling struct {
	uri uri.URI
	id  string
}

// uncertain is the id of what nobody can know.
const uncertain = "?"

func newPulled(related bool) *pulled {
	return &pulled{
		related: related,
		stale:   make(chan struct{}, 1), changed: make(chan struct{}),
		shown: map[string]*findings{}, told: map[string]telling{}, documents: map[string]string{},
		news: map[string]bool{}, old: map[string]bool{}, retold: map[string]int{},
		refreshes: refreshes{refreshed: map[string]refresh{}},
	}
}

// show implements [channel]. Nothing is owed: the client asks.
func (p *pulled) show(f *findings, _ bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := canonical(string(f.uri))
	was := p.shown[name]
	delete(p.retold, name)
	if f.open || f.id != noFindings {
		p.shown[name] = f
	} else {
		delete(p.shown, name)
	}
	if was != nil && was.open && !f.open {
		p.closedLocked(name, f.uri)
	}
	p.compareLocked(name)
}

// closedLocked takes a document for a file of the workspace again. What the
// client shows of it then is not known: some forget what they were told of the
// workspace, keep what the document showed, and throw away the answer to the
// question they ask last. Caller holds mu.
func (p *pulled) closedLocked(name string, spelling uri.URI) {
	delete(p.documents, name)
	delete(p.refreshed, name)
	p.tellLocked(name, telling{spelling, uncertain})
	p.distrustLocked(func(b bringing) bool { return b.document == name })
}

// doubt is closedLocked for a file that may have been closed.
func (p *pulled) doubt(spelling uri.URI) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := canonical(string(spelling))
	if now := p.shown[name]; now == nil || !now.open {
		p.closedLocked(name, spelling)
		p.wakeLocked()
	}
}

// settle implements [channel].
func (p *pulled) settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settled = true
	p.wakeLocked()
}

// idLocked is the id of what a file shows. Caller holds mu.
func (p *pulled) idLocked(name string) string {
	if f := p.shown[name]; f != nil {
		return f.id
	}
	return noFindings
}

// toldLocked is the id of what the client was told. Caller holds mu.
func (p *pulled) toldLocked(name string) string {
	if t, ok := p.told[name]; ok {
		return t.id
	}
	return noFindings
}

// tellLocked records what the client was told of a file under a uri. Caller
// holds mu.
func (p *pulled) tellLocked(name string, t telling) {
	if t.id == noFindings {
		delete(p.told, name)
	} else {
		p.told[name] = t
	}
	p.compareLocked(name)
}

// compareLocked brings news and old up to date for one file. Caller holds mu.
func (p *pulled) compareLocked(name string) {
	id := p.idLocked(name)
	setTo(p.news, name, id != p.toldLocked(name))
	document, asked := p.documents[name]
	setTo(p.old, name, asked && id != document)
	if p.poll != nil {
		p.poll.dirty[name] = true
	}
	if p.old[name] || p.news[name] {
		p.signalLocked()
	}
}

// signalLocked has it considered whether the client is to be told to ask again.
// Caller holds mu.
func (p *pulled) signalLocked() {
	p.newsAt = time.Now()
	select {
	case p.stale <- struct{}{}:
	default:
	}
}

func setTo(set map[string]bool, name string, in bool) {
	if in {
		set[name] = true
	} else {
		delete(set, name)
	}
}

// wakeLocked wakes the request that is being held. Caller holds mu.
func (p *pulled) wakeLocked() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// end makes every request that waits be answered, now and later.
func (p *pulled) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	p.wakeLocked()
}

// isOver returns whether no request waits any more, else the channel that is
// closed when that may have changed.
func (p *pulled) isOver() (bool, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over, p.changed
}

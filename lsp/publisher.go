package lsp

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// findings are what one file shows.
type findings struct {
	// uri is the client's spelling of the file.
	uri uri.URI
	// open says that the client has the file open.
	open bool
	// version is that of the document the findings are of, absent when they are
	// of the disk.
	version protocol.Optional[int32]
	items   []protocol.Diagnostic
	// id is the same for the same items, and only for them.
	id string
}

// noFindings is the id of an empty set.
var noFindings = idOf(nil)

func newFindings(name uri.URI, items []protocol.Diagnostic) *findings {
	return &findings{uri: name, items: items, id: idOf(items)}
}

// idOf identifies a set of findings by what the client would show.
func idOf(items []protocol.Diagnostic) string {
	h := sha256.New()
	for i := range items {
		body, err := protocol.Marshal(&items[i])
		if err != nil {
			panic(err)
		}
		h.Write(body)
		h.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:15])
}

// severity is that of the worst finding, 0 without one.
func (f *findings) severity() int {
	worst := 0
	for _, d := range f.items {
		if s := int(d.Severity); worst == 0 || s < worst {
			worst = s
		}
	}
	return worst
}

// channel brings findings to the client, in one of two ways. It is told what a
// file shows whenever that was looked at, and does nothing where the client
// knows it. Only the publishing goroutine uses it.
type channel interface {
	// show says what a file shows from now on. owed says that the client waits
	// for it, even if it is the same as before.
	show(f *findings, owed bool)
	// settle says that everything that was marked has been looked at.
	settle()
}

// publisher decides what the client is shown of what was found: all of the open
// documents, and of the closed files those that the limit leaves. Keys are real
// paths. Only the publishing goroutine uses it.
type publisher struct {
	channel channel
	ranking *ranking
	// again has files looked at that may be shown and were not kept.
	again func(keys []string)
	// names are the uris under which something may be shown.
	names map[string]uri.URI
	// staged are closed files that wait until it is known whether others push
	// them over the limit.
	staged map[string]*findings
}

func newPublisher(limit int, c channel, again func(keys []string)) *publisher {
	return &publisher{
		channel: c, ranking: newRanking(limit), again: again,
		names: map[string]uri.URI{}, staged: map[string]*findings{},
	}
}

// publish takes in what was found in a file. Open documents are shown at once,
// other files at the next flush. A file whose spelling changed is cleared under
// the old one.
func (p *publisher) publish(key string, f *findings, owed bool) {
	if name, known := p.names[key]; known && name != f.uri {
		p.hide(key)
	}
	delete(p.staged, key)
	p.names[key] = f.uri
	severity := f.severity()
	if f.open {
		severity = 0
	}
	come, gone := p.ranking.set(key, severity)
	for _, other := range gone {
		p.hide(other)
	}
	p.again(come)
	switch {
	case f.open:
		p.channel.show(f, owed)
	case p.ranking.shows(key):
		p.staged[key] = f
	default:
		p.hide(key)
	}
}

// hide takes away what the client shows for a file.
func (p *publisher) hide(key string) {
	delete(p.staged, key)
	if name, known := p.names[key]; known {
		delete(p.names, key)
		p.channel.show(&findings{uri: name, id: noFindings}, false)
	}
}

// flush shows what is staged, the most severe first, unless so many files are
// still to be looked at that the limit may take it away again. It ends early when
// much is left and hurry says so, and reports whether it did.
func (p *publisher) flush(toLookAt int, hurry func() bool) (left bool) {
	if toLookAt > 0 && toLookAt+len(p.ranking.ranks) > p.ranking.limit {
		return false
	}
	keys := make([]string, 0, len(p.staged))
	for key := range p.staged {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(p.ranking.ranks[a].severity, p.ranking.ranks[b].severity), cmp.Compare(a, b))
	})
	for i, key := range keys {
		if i > 0 && len(p.staged) > roundSize && hurry() {
			return true
		}
		p.channel.show(p.staged[key], false)
		delete(p.staged, key)
	}
	return false
}

// limitTo changes how many closed files show findings.
func (p *publisher) limitTo(n int) {
	come, gone := p.ranking.limitTo(n)
	for _, key := range gone {
		p.hide(key)
	}
	p.again(come)
}

// drop forgets every file below a folder.
func (p *publisher) drop(dir string) {
	var gone []string
	for key := range p.names {
		if _, ok := below(dir, key); ok {
			gone = append(gone, key)
		}
	}
	for key := range p.ranking.ranks {
		if _, ok := below(dir, key); ok {
			gone = append(gone, key)
		}
	}
	for _, key := range gone {
		p.hide(key)
		come, _ := p.ranking.set(key, 0)
		p.again(come)
	}
}

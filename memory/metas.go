package memory

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// meta is one memhtml- meta of the head, the first of its name or a repeatable
// one; count is how many of the name there are.
type meta struct {
	name, content string
	node          *html.Node
	known         bool
	count         int
}

// readMetas fills d.Metas and returns our metas, one per name, in the order of
// first occurrence.
func (d *Document) readMetas(nodes []*html.Node) []meta {
	metas := make([]meta, 0, len(nodes))
	for _, n := range nodes {
		name, _ := attribute(n, "name")
		if !strings.HasPrefix(name, metaPrefix) {
			continue
		}
		content, _ := attribute(n, "content")
		rank, known := metaRank(name)
		if known {
			d.Metas.present |= 1 << rank
		}
		if known && rank >= repeatableFrom {
			d.Metas.repeat(name, content)
			continue
		}
		if i := slices.IndexFunc(metas, func(m meta) bool { return m.name == name }); i >= 0 {
			metas[i].count++
			continue
		}
		metas = append(metas, meta{name, content, n, known, 1})
	}
	for _, m := range metas {
		d.readMeta(m)
	}
	return metas
}

func (m *Metas) repeat(name, content string) {
	if content == "" {
		return
	}
	switch name {
	case "memhtml-entity":
		m.Entities = append(m.Entities, content)
	case "memhtml-tag":
		m.Tags = append(m.Tags, content)
	case "memhtml-alias":
		m.Aliases = append(m.Aliases, content)
	}
}

func (d *Document) readMeta(m meta) {
	if field := d.Metas.text(m.name); field != nil {
		*field = m.content
		return
	}
	switch m.name {
	case "memhtml-confidence":
		if n, ok := number(m.content); ok && 0 <= n && n <= 1 {
			d.Metas.Confidence = &n
			return
		}
	case "memhtml-importance":
		if n, ok := whole(m.content, 1, 10); ok {
			i := int(n)
			d.Metas.Importance = &i
			return
		}
	case "memhtml-reprieves":
		if n, ok := whole(m.content, 0, 1<<53-1); ok {
			d.Metas.Reprieves = &n
			return
		}
	case "memhtml-needs-revision":
		d.Metas.NeedsRevision = slices.Contains([]string{"true", "1", "yes"}, lower(m.content))
		return
	default:
		return
	}
	d.Dropped = append(d.Dropped, Problem{
		Code: "optional-meta-dropped", Subject: m.name, Value: m.content, at: anchor{m.node, "content"},
	})
}

// text returns the field that holds the meta as written, nil for the others.
func (m *Metas) text(name string) *string {
	switch name {
	case "memhtml-type":
		return &m.Type
	case "memhtml-status":
		return &m.Status
	case "memhtml-created":
		return &m.Created
	case "memhtml-updated":
		return &m.Updated
	case "memhtml-content-hash":
		return &m.ContentHash
	case "memhtml-author":
		return &m.Author
	case "memhtml-session":
		return &m.Session
	case "memhtml-prompt":
		return &m.Prompt
	case "memhtml-turn":
		return &m.Turn
	case "memhtml-valid-from":
		return &m.ValidFrom
	case "memhtml-valid-until":
		return &m.ValidUntil
	case "memhtml-archived":
		return &m.Archived
	case "memhtml-superseded-by":
		return &m.SupersededBy
	case "memhtml-task-status":
		return &m.TaskStatus
	case "memhtml-due":
		return &m.Due
	}
	return nil
}

// whole reads an integer within low and high.
func whole(s string, low, high float64) (int64, bool) {
	n, ok := number(s)
	if !ok || n != math.Trunc(n) || n < low || n > high {
		return 0, false
	}
	return int64(n), true
}

// checkMetaNames says which required metas are missing and which metas are
// unknown or occur too often.
func (d *Document) checkMetaNames(metas []meta) {
	for _, name := range RequiredMetas {
		if !d.Metas.Has(name) {
			d.violate(Problem{Code: "meta-missing", Subject: name, at: anchor{node: d.tree.head}})
		}
	}
	for _, m := range metas {
		switch {
		case !m.known:
			d.violate(Problem{Code: "meta-unknown", Subject: m.name, at: anchor{m.node, "name"}})
		case m.count > 1:
			d.violate(Problem{Code: "meta-duplicate", Subject: m.name, Count: m.count, at: anchor{m.node, "name"}})
		}
	}
}

// checkMetaValues judges type, status, task status, due and the other dates,
// in this order.
func (d *Document) checkMetaValues(metas []meta) {
	find := func(name string) *meta {
		if i := slices.IndexFunc(metas, func(m meta) bool { return m.name == name }); i >= 0 {
			return &metas[i]
		}
		return nil
	}
	d.checkWord("type-unknown", find("memhtml-type"), memoryTypes)
	d.checkWord("status-unknown", find("memhtml-status"), statuses)
	d.checkTaskStatus(find("memhtml-task-status"), find("memhtml-type"))
	d.checkDate("due-datetime", find("memhtml-due"))
	for _, name := range []string{
		"memhtml-created", "memhtml-updated", "memhtml-valid-from", "memhtml-valid-until", "memhtml-archived",
	} {
		d.checkDate("meta-datetime", find(name))
	}
}

func (d *Document) checkWord(code string, m *meta, words []string) {
	if m != nil && !slices.Contains(words, m.content) {
		d.violate(Problem{Code: code, Subject: m.name, Value: m.content, at: anchor{m.node, "content"}})
	}
}

func (d *Document) checkDate(code string, m *meta) {
	if m != nil && !ValidDate(m.content) {
		d.violate(Problem{Code: code, Subject: m.name, Value: m.content, at: anchor{m.node, "content"}})
	}
}

// checkTaskStatus: a task has one, nothing else does. A type outside the
// vocabulary is not named.
func (d *Document) checkTaskStatus(m, typ *meta) {
	const subject = "memhtml-task-status"
	isTask := d.Metas.Type == "task"
	switch {
	case m == nil && isTask:
		d.violate(Problem{Code: "task-status-required", Subject: subject, at: anchor{typ.node, "content"}})
	case m != nil && !isTask:
		p := Problem{Code: "task-status-forbidden", Subject: subject, at: anchor{m.node, "name"}}
		if slices.Contains(memoryTypes, d.Metas.Type) {
			p.Type = d.Metas.Type
		}
		d.violate(p)
	}
	d.checkWord("task-status-unknown", m, taskStatuses)
}

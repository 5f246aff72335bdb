package memory

import (
	"path"
	"strings"
	"time"
)

// Placement is what decides where a new memory goes (format.md §6).
type Placement struct {
	// Path is the path the caller asked for. One that is not valid is ignored.
	Path            string
	Type, Workspace string
	Title           string
	Tags, Entities  []string
	// At is the instant of writing; its UTC date names an episodic memory.
	At time.Time
}

// Dir is the directory of the memory, root-relative. There always is one.
func (p Placement) Dir() string {
	switch {
	case ValidPath(p.Path):
		return path.Dir(NormalizePath(p.Path))
	case p.Type == "arc":
		return "areas/arcs"
	case p.Type == "task" && p.Workspace != "":
		return "projects/" + Slug(p.Workspace) + "/tasks"
	case p.Type == "task":
		return "areas/inbox/tasks"
	case p.Type == "semantic" && namesPerson(p.Entities):
		return "resources/people"
	case p.Workspace != "":
		return "projects/" + Slug(p.Workspace)
	}
	if tag := firstNonBlank(p.Tags); tag != "" && topicTypes[p.Type] {
		return "resources/" + Slug(tag)
	}
	return "areas/inbox"
}

// PlacePath is the nth path to try for a memory, n from 1 on: the explicit path
// when it is valid, whatever n is, else the directory and the slug with its
// ordinal. The date before an episodic slug is not part of its 80 characters.
func PlacePath(p Placement, n int) string {
	if ValidPath(p.Path) {
		return NormalizePath(p.Path)
	}
	name := SlugOrdinal(Slug(p.Title), n) + ".html"
	if p.Type == "episodic" {
		name = p.At.UTC().Format("20060102-") + name
	}
	return p.Dir() + "/" + name
}

// topicTypes are the types that are filed by their first tag.
var topicTypes = map[string]bool{"semantic": true, "procedural": true, "precedent": true}

// namesPerson reports whether an entity is a person with a name.
func namesPerson(entities []string) bool {
	for _, e := range entities {
		if name, ok := strings.CutPrefix(e, "person:"); ok && trim(name) != "" {
			return true
		}
	}
	return false
}

func firstNonBlank(list []string) string {
	for _, s := range list {
		if trim(s) != "" {
			return s
		}
	}
	return ""
}

package memory

// RelClass is what the two ends of a link may be (format.md §2).
type RelClass string

// The classes of relations. A memory relation is between two memories that are
// no tasks, a task relation between two tasks; a person's and a session's page
// may be named by any of them.
const (
	MemoryRel     RelClass = "memory"
	PersonRel     RelClass = "person"
	ProvenanceRel RelClass = "provenance"
	TaskRel       RelClass = "task"
)

// ClassOf returns the class of a relation, spelled with '_', and "" for one that
// the format does not know.
func ClassOf(rel string) RelClass {
	switch {
	case !knownRel(rel):
		return ""
	case rel == "about_person" || rel == "authored_by":
		return PersonRel
	case rel == "from_session":
		return ProvenanceRel
	case rel == "blocks" || rel == "subtask_of":
		return TaskRel
	default:
		return MemoryRel
	}
}

// Rels are the relations of the format, spelled with '_', in its order.
func Rels() []string { return append([]string(nil), writeRels...) }

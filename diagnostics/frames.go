package diagnostics

import (
	"fmt"

	"github.com/memhtml-ls/memhtml-ls/index"
)

var frameKeyConflictEntry = Entry{
	Code:     FrameKeyConflict,
	Severity: Warning,
	Meaning:  "another memory gives a different value for the same thing",
	What: "The claims of two memories begin with the same words and end in different values: " +
		"“The connection pool ceiling is 64” and “The connection pool ceiling is 128”. " +
		"The words before the value are the frame: at least three, ending in of, is, in, to, by or as. The value has at most six words.\n\n" +
		"The finding is on the later file and points at the first memory with that frame.",
	Why: "Whoever asks gets one of the two, and nothing tells which is true today. " +
		"Both stay until a person decides.",
	Fix: "If this memory is the truth now, take “This supersedes …”; if the other is, let it supersede this one. " +
		"If both are true, say so with a link between them (`memhtml-contradicts`, `memhtml-laterally-related` or any other memory relation): " +
		"a pair with a link is settled and not told again. Or make the claims say what tells them apart.",
	Wrong: "When the frame leaves out what differs: “The owner of the service is Ada” in two teams' folders is no conflict. " +
		"Name the service in the claim, or link the two.",
	Since: "0.1.0",
}

var frameKeyRestatementEntry = Entry{
	Code:     FrameKeyRestatement,
	Severity: Information,
	Meaning:  "another memory already gives the same value for the same thing",
	What: "The claims of two memories have the same frame and the same value, but the articles differ. " +
		"Case, spacing and a final period of the value do not count, nor does another way to write the same amount, date or words: " +
		"“2 GiB” and “2048 MiB”, “nightly” and “every night”.",
	Why: "Two memories of one fact drift apart: one day somebody changes the value in one of them.",
	Fix: "Move what this article adds to the other file and archive this one, or let one supersede the other. " +
		"If both shall stay, a link between them settles the pair.",
	Wrong: "When the two articles are about different sides of the fact. Link them.",
	Since: "0.1.0",
}

// frameCode tells a restatement from a conflict.
func frameCode(f, incumbent *index.File) Code {
	if f.SameValue(incumbent) {
		return FrameKeyRestatement
	}
	return FrameKeyConflict
}

func sayConflict(f, incumbent *index.File) string {
	return fmt.Sprintf("Two values for %s: %s here, %s in %s.",
		quote(f.FrameKey), clip(f.ShownValue), clip(incumbent.ShownValue), Shown(incumbent.Path))
}

func sayRestatement(f, incumbent *index.File) string {
	return fmt.Sprintf("Says again what %s says: %s %s.",
		Shown(incumbent.Path), quote(f.FrameKey), clip(f.ShownValue))
}

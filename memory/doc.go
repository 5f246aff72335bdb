// Package memory reads and writes one memory file: bytes in, values out.
//
// It parses a file into a [Document] with its problems, claim, canonical text
// and content hash; gives byte spans on demand; edits heads as byte splices;
// renders new files; and knows slugs, placement and archive paths. It is the
// memhtml format and nothing else: no disk, no git, no SQL, no protocol, no
// clock, and no opinion on what two files have to do with each other.
package memory

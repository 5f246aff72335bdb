package store

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// seal makes the commit object, signed where git would sign it.
func (a *attempt) seal(ctx context.Context) error {
	text := commitText(a.tree, a.head.id(), a.who, a.plan.At, a.message)
	if a.settings.bool("commit.gpgsign", false) {
		signed, err := a.sign(ctx, text)
		if err != nil {
			return err
		}
		text = signed
	}
	a.commit = hashObject("commit", text)
	a.objects = append(a.objects, newObject{kind: plumbing.CommitObject, data: text, id: a.commit})
	return nil
}

// errNotOurs says that git made another commit than the one it was asked for.
var errNotOurs = errors.New("the signed commit is not the one that was to be signed")

// sign lets git make the commit, which knows all ways of signing and where the
// key is, and demands that it is text and a signature, nothing else. The object
// is made durable with the names of the others.
func (a *attempt) sign(ctx context.Context, text []byte) ([]byte, error) {
	if err := a.placeObjects(); err != nil {
		return nil, storageFailure(err)
	}
	args := []string{
		"-c", "i18n.commitEncoding=UTF-8", "-c", "core.fsync=loose-object",
		"commit-tree", "-S", a.tree.String(),
	}
	if !a.head.Unborn {
		args = append(args, "-p", a.head.Commit)
	}
	when := stampTime(a.plan.At)
	c := gitCall{
		dir: a.r.top, stdin: []byte(a.message),
		env: append(authorEnvironment(a.who.author, when), committerEnvironment(a.who.committer, when)...),
	}
	out, err := c.run(ctx, args...)
	if ctx.Err() != nil {
		return nil, cancelled(ctx.Err())
	}
	var signed []byte
	if err == nil {
		signed, err = a.readSigned(strings.TrimSpace(string(out)), text)
	}
	if err != nil {
		return nil, failure.New(failure.Signing, "Commits are signed here (commit.gpgsign), and git could not sign this one.").
			Suggest("Make git commit -S work here, then try again. What git said is above on the command line, and in the log of an editor.").Wrap(err)
	}
	return signed, nil
}

func (a *attempt) readSigned(id string, text []byte) ([]byte, error) {
	name, err := parseOID(id)
	if err != nil {
		return nil, err
	}
	signed, err := a.r.object(plumbing.CommitObject, name)
	if err != nil {
		return nil, err
	}
	if plain := withoutSignature(signed); len(plain) == len(signed) || !bytes.Equal(plain, text) {
		return nil, errNotOurs
	}
	// An old git does not know core.fsync.
	dir := a.r.objectDir(name)
	a.dirs = append(a.dirs, dir, filepath.Join(dir, id[2:]))
	return signed, nil
}

// withoutSignature takes the signature out of a commit's header.
func withoutSignature(commit []byte) []byte {
	head, message, _ := bytes.Cut(commit, []byte("\n\n"))
	var plain []byte
	in := false
	for line := range bytes.Lines(append(bytes.Clone(head), '\n')) {
		in = bytes.HasPrefix(line, []byte("gpgsig ")) || in && line[0] == ' '
		if !in {
			plain = append(plain, line...)
		}
	}
	return append(append(plain, '\n'), message...)
}

package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

const (
	// writerWait is how long a writer waits for another one (D1).
	writerWait = 30 * time.Second
	// gitLockWait is how long a lock of git's is waited for. Git holds its
	// locks for milliseconds, and an abandoned one stays.
	gitLockWait = time.Second
	// lockPause is the longest pause between two tries.
	lockPause = 40 * time.Millisecond
)

// testOnlyWriterWait, when set by a test, takes the place of writerWait.
var testOnlyWriterWait time.Duration

// lockWriter takes the writer lock of this worktree and returns its release.
// The operating system frees the lock when a process dies, so that it is never
// stale.
func (r *Repo) lockWriter(ctx context.Context) (release func(), err error) {
	if err := errors.Join(r.makeDir(r.writerDir()), r.share(r.writerDir())); err != nil {
		return nil, storageFailure(err)
	}
	wait := writerWait
	if testOnlyWriterWait > 0 {
		wait = testOnlyWriterWait
	}
	l := flock.New(r.writerLockPath(), flock.SetPermissions(0o666))
	ok, err := try(ctx, wait, l.TryLock)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, cancelled(ctx.Err())
	case err != nil:
		return nil, storageFailure(err)
	case !ok:
		return nil, failure.New(failure.WriterBusy, "Another command is writing to this repository%s.", r.holder()).
			Suggest("Wait until it is done and try again.")
	}
	_ = os.WriteFile(r.holderPath(), fmt.Appendf(nil, "%d\n", os.Getpid()), 0o666)
	_, _ = r.share(r.holderPath()), r.share(r.writerLockPath())
	return func() { _ = l.Unlock() }, nil
}

func (r *Repo) writerLockPath() string { return filepath.Join(r.writerDir(), "writer.lock") }

// holderPath names the holder for people; the lock itself cannot be read
// everywhere while it is held.
func (r *Repo) holderPath() string { return filepath.Join(r.writerDir(), "writer.pid") }

func (r *Repo) holder() string {
	b, err := os.ReadFile(r.holderPath())
	if err != nil || len(b) == 0 {
		return ""
	}
	return " (process " + strings.TrimSpace(string(b)) + ")"
}

// Writer returns the process that holds the writer lock of this worktree, and
// whether one does. The number is 0 where the holder could not be read.
func (r *Repo) Writer() (pid int, held bool) {
	path := r.writerLockPath()
	if !exists(path) {
		return 0, false
	}
	l := flock.New(path)
	if ok, err := l.TryLock(); ok || err != nil {
		_ = l.Unlock()
		return 0, false
	}
	b, _ := os.ReadFile(r.holderPath())
	pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
	return pid, true
}

// try calls f until it succeeds, fails or the time is up. Pauses are of random
// length so that waiting writers do not move in step.
func try(ctx context.Context, wait time.Duration, f func() (bool, error)) (bool, error) {
	deadline := time.Now().Add(wait)
	for {
		ok, err := f()
		if ok || err != nil {
			return ok, err
		}
		if time.Now().After(deadline) {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(time.Millisecond + mathrand.N(lockPause)):
		}
	}
}

// newToken returns what marks the locks and temps of one commit as ours.
func newToken() string {
	var b [12]byte
	_, _ = rand.Read(b[:])
	return tokenPrefix + hex.EncodeToString(b[:])
}

const tokenPrefix = "memhtml-ls-"

// gitLock is a lock file of git's protocol that we hold. Its content is the
// token, so that it is recognised when this process dies.
type gitLock struct{ path string }

// lockFile takes path+".lock". All locks of a commit are names of one file.
// The lock appears with its content in one step,
// by a link from a temp file; where links are not to be had it is created and
// then written, and a process killed in between leaves a lock that a person
// must remove.
func (r *Repo) lockFile(ctx context.Context, path, token string) (gitLock, error) {
	l := gitLock{path + ".lock"}
	if err := r.makeDir(filepath.Dir(path)); err != nil {
		return l, err
	}
	temp := filepath.Join(r.tempDir(), token+".lock")
	if !exists(temp) {
		if err := errors.Join(writeTemp(temp, []byte(token+"\n"), 0o666), r.share(temp)); err != nil {
			return l, err
		}
	}
	ok, err := try(ctx, gitLockWait, func() (bool, error) {
		err := linkOrCreate(temp, l.path, token)
		if errors.Is(err, fs.ErrExist) {
			return false, nil
		}
		return err == nil, err
	})
	if err == nil && !ok {
		return l, r.lockHeld(l.path)
	}
	return l, err
}

func linkOrCreate(temp, path, token string) error {
	err := os.Link(temp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(token + "\n")
	return errors.Join(err, f.Close())
}

func (r *Repo) lockHeld(path string) error {
	name, err := filepath.Rel(r.commonDir, path)
	if err != nil {
		name = filepath.Base(path)
	}
	return failure.New(failure.GitState, "Another git command is at work in this repository: %s exists.", filepath.ToSlash(name)).
		Suggest("Wait until it is done and try again. If no git command is running, remove that file from the git folder.")
}

// release removes the lock if it is still ours.
func (l gitLock) release(token string) error {
	if l.path == "" || !l.holds(token) {
		return nil
	}
	return os.Remove(l.path)
}

// holds tells whether the lock file is there with the token in it.
func (l gitLock) holds(token string) bool {
	b, err := os.ReadFile(l.path)
	return err == nil && strings.TrimSpace(string(b)) == token
}

func storageFailure(err error) error {
	var f *failure.Error
	if errors.As(err, &f) {
		return err
	}
	return failure.New(failure.Storage, "The disk refused a write; nothing was changed.").
		Suggest("Check the free space and the permissions of the folder, then try again.").Wrap(err)
}

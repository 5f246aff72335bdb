package session

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/store"
)

// What a command that was killed beside the server left stayed until the server
// was asked for a commit of its own.
func TestPollRepairsWhatAKilledCommandLeft(t *testing.T) {
	f := newFixture(t, pools())
	var log bytes.Buffer
	f.root.log = slog.New(slog.NewTextHandler(&log, nil))
	journal := filepath.Join(f.dir, ".git", "memhtml-ls", "journal.json")
	left := func() bool {
		_, err := os.Stat(journal)
		return err == nil
	}
	poll := func() {
		t.Helper()
		if _, err := f.root.Poll(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	err := f.root.exclusive(context.Background(), func(func(store.Plan) (Done, error)) error {
		f.write(".git/memhtml-ls/journal.json", fmt.Sprintf(
			`{"token":"0123456789abcdef","ref":"refs/heads/main","old":"%s","new":"%s","loose":true,"log":"x","files":[]}`,
			strings.TrimSpace(f.git("rev-parse", "HEAD")), strings.Repeat("1", 40)))
		poll()
		if !left() {
			t.Error("a commit that is being made was repaired")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		poll()
	}
	if left() {
		t.Error("the journal is left")
	}
	if n := strings.Count(log.String(), "repaired an interrupted commit"); n != 1 {
		t.Errorf("told %d times: %s", n, &log)
	}
}

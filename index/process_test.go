package index

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// The test binary is also a process that writes to a database: its name and
// the database are in these variables.
const (
	writerName     = "MEMHTML_TEST_WRITER"
	writerDatabase = "MEMHTML_TEST_DATABASE"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(writerName); name != "" {
		if err := writer(name, os.Getenv(writerDatabase)); err != nil {
			fmt.Fprintln(os.Stderr, name, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const writerRows = 25

// writer opens the database, writes rows one by one, and says on standard
// output if it had to make the database anew.
func writer(name, path string) error {
	ctx := context.Background()
	db, err := Open(ctx, path)
	if err != nil {
		return err
	}
	if db.Recreated() != "" {
		fmt.Println("recreated")
	}
	for i := range writerRows {
		r := row(file(fmt.Sprintf("areas/%s-%02d.html", name, i), 1))
		if err := db.Apply(ctx, []Row{r}, nil, Watermark{}, Watermark{"shared"}); err != nil {
			return err
		}
	}
	return db.Close()
}

// TestProcessesShareADamagedDatabase starts several servers at once on a file
// that none of them can use. One makes it anew; none takes it from another.
func TestProcessesShareADamagedDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	must(t, os.WriteFile(path, bytes.Repeat([]byte("noise "), 4096), 0o644))
	const writers = 4
	var out [writers]bytes.Buffer
	var commands [writers]*exec.Cmd
	for i := range writers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=w%d", writerName, i), writerDatabase+"="+path)
		cmd.Stdout, cmd.Stderr = &out[i], &out[i]
		must(t, cmd.Start())
		commands[i] = cmd
	}
	recreated := 0
	for i, cmd := range commands {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, &out[i])
		}
		recreated += bytes.Count(out[i].Bytes(), []byte("recreated"))
	}
	if recreated != 1 {
		t.Errorf("%d processes made the database anew, want 1", recreated)
	}
	db := openDB(t, path)
	if got, _, err := db.Load(t.Context()); err != nil || len(got) != writers*writerRows {
		t.Errorf("%d rows, %v; want %d", len(got), err, writers*writerRows)
	}
	if diff := cmp.Diff(map[string]memory.Hash{"areas/w0-00.html": {1}}, claims(t, db)); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
}

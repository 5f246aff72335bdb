package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/memory"
)

// The test binary is also a process that writes: what it does, and where, are in
// these variables.
const (
	processWork = "MEMHTML_TEST_WORK"
	processRoot = "MEMHTML_TEST_ROOT"
	processName = "MEMHTML_TEST_NAME"
	processPath = "MEMHTML_TEST_PATH"
	processHash = "MEMHTML_TEST_HASH"
)

func TestMain(m *testing.M) {
	if work := os.Getenv(processWork); work != "" {
		if err := process(work, os.Getenv(processRoot), os.Getenv(processName)); err != nil {
			_ = Refusal(err).WriteJSON(os.Stderr)
			fmt.Fprintln(os.Stderr, errors.Unwrap(err))
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process does one piece of work and writes what came of it, one JSON value a
// line.
func process(work, dir, name string) error {
	if work == "cut short" {
		return cutShort(dir, name)
	}
	root, err := Open(context.Background(), dir, Options{})
	if err != nil {
		return err
	}
	defer root.Close()
	out := json.NewEncoder(os.Stdout)
	switch work {
	case "same", "same-update":
		request := fact("The same", "The kiln fires on Friday")
		if work == "same-update" {
			request.Dedupe, request.Tags = DedupeExact, []string{"from-" + strconv.Itoa(len(name)%2)}
		}
		result, err := root.Write(context.Background(), request)
		if err != nil {
			return err
		}
		return out.Encode(result)
	case "different":
		for i := range 25 {
			result, err := root.Write(context.Background(), fact("Fact", fmt.Sprintf("Fact %d of process %s", i, name)))
			if err != nil {
				return err
			}
			if err := out.Encode(result); err != nil {
				return err
			}
		}
	case "expect":
		hash, _ := memory.ParseHash(os.Getenv(processHash))
		result, err := root.Update(context.Background(), UpdateRequest{
			Path: os.Getenv(processPath), Claim: &name, ExpectHash: &hash,
		})
		if err != nil {
			return err
		}
		return out.Encode(result)
	}
	return nil
}

// run starts n processes at once and returns the lines each of them wrote and,
// by process, what it complained of.
func (f *fixture) run(n int, work string, more ...string) (lines []string, complaints []string) {
	f.t.Helper()
	outs := make([]string, n)
	errs := make([]string, n)
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			command := exec.Command(os.Args[0])
			command.Env = append(append(os.Environ(), processWork+"="+work, processRoot+"="+f.dir, processName+"="+strings.Repeat("p", i+1)), more...)
			var stdout, stderr strings.Builder
			command.Stdout, command.Stderr = &stdout, &stderr
			if err := command.Run(); err != nil {
				errs[i] = err.Error() + ": " + stderr.String()
			}
			outs[i] = stdout.String()
		})
	}
	group.Wait()
	for i := range n {
		for line := range strings.Lines(outs[i]) {
			lines = append(lines, line)
		}
		if errs[i] != "" {
			complaints = append(complaints, errs[i])
		}
	}
	return lines, complaints
}

func (f *fixture) commits() int {
	f.t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(f.git("rev-list", "--count", "HEAD")))
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// outcomes counts the actions of write results.
func outcomes(t *testing.T, lines []string) (count map[Outcome]int, paths map[string]bool) {
	t.Helper()
	count, paths = map[Outcome]int{}, map[string]bool{}
	for _, line := range lines {
		var result WriteResult
		if err := json.Unmarshal([]byte(line), &result); err != nil {
			t.Fatal(err)
		}
		count[result.Action]++
		paths[result.Path] = true
	}
	return count, paths
}

func TestManyProcessesWriteTheSameFact(t *testing.T) {
	for _, n := range []int{12, 40} {
		t.Run(strconv.Itoa(n), func(t *testing.T) {
			f := newFixture(t, pools())
			before := f.commits()
			lines, complaints := f.run(n, "same")
			count, paths := outcomes(t, lines)
			if len(complaints) > 0 || count[OutcomeCreated] != 1 || count[OutcomeDeduped] != n-1 || len(paths) != 1 {
				t.Errorf("%v at %v, refused %q", count, paths, complaints)
			}
			if got := f.commits() - before; got != 1 {
				t.Errorf("%d commits, want 1", got)
			}
			f.clean()
		})
	}
}

// With dedupe on they are updates, and no tag is lost.
func TestManyProcessesUpdateTheSameFact(t *testing.T) {
	f := newFixture(t, nil)
	before := f.commits()
	lines, complaints := f.run(12, "same-update")
	count, paths := outcomes(t, lines)
	if len(complaints) > 0 || count[OutcomeCreated] != 1 || count[OutcomeUpdated] != 11 || len(paths) != 1 {
		t.Fatalf("%v at %v, refused %q", count, paths, complaints)
	}
	for path := range paths {
		if tags := f.metas(path).Tags; len(tags) != 2 {
			t.Errorf("tags %q", tags)
		}
	}
	if got := f.commits() - before; got != 2 {
		t.Errorf("%d commits, want one that created and one that added the other tag", got)
	}
	f.clean()
}

func TestNoWriteOfFourProcessesIsLost(t *testing.T) {
	f := newFixture(t, nil)
	before := f.commits()
	lines, complaints := f.run(4, "different")
	count, paths := outcomes(t, lines)
	if len(complaints) > 0 || count[OutcomeCreated] != 100 || len(paths) != 100 {
		t.Errorf("%v, %d paths, refused %q", count, len(paths), complaints)
	}
	if got := f.commits() - before; got != 100 {
		t.Errorf("%d commits, want 100", got)
	}
	for path := range paths {
		if !memory.Parse([]byte(f.read(path))).Accepted() {
			t.Errorf("%s is broken", path)
		}
	}
	f.clean()
}

// clean demands that the tree, git's index and HEAD agree and are sound.
func (f *fixture) clean() {
	f.t.Helper()
	if got := f.git("status", "--porcelain"); got != "" {
		f.t.Errorf("status %q", got)
	}
	f.fsck()
}

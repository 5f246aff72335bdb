package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/fault"
	"github.com/memhtml-ls/memhtml-ls/store"
)

// processKillAt is the number of the step before which a process is to kill
// itself, counted from 1; 0 never.
const processKillAt = "MEMHTML_TEST_KILL_AT"

// cutShort is a process that runs a command and kills itself at a step.
func cutShort(dir, name string) error {
	killAt, err := strconv.Atoi(os.Getenv(processKillAt))
	if err != nil {
		return err
	}
	root, err := Open(context.Background(), dir, Options{Now: func() time.Time { return at }})
	if err != nil {
		return err
	}
	defer root.Close()
	var told attempt
	fault.Step = func(step string) error {
		if told.Steps = append(told.Steps, step); len(told.Steps) == killAt {
			dieNow()
		}
		return nil
	}
	done, err := everyCommand[name].run(context.Background(), root)
	told.Nothing = done.Commit == nil || done.Already
	if err != nil {
		told.Code = failure.CodeOf(err)
	}
	return json.NewEncoder(os.Stdout).Encode(told)
}

// dieNow ends this process with no chance to clean up.
func dieNow() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}

// attempt is what a process tells of a command that it was not killed in.
type attempt struct {
	Killed bool
	// Nothing says that there was nothing to do, or Code why it was refused.
	Nothing bool
	Code    failure.Code
	Steps   []string
}

// done reports whether the command says that it was carried out before.
func (a attempt) done(c repeatable) bool {
	return !a.Killed && a.Code == c.again && (a.Nothing || a.Code != "")
}

// try runs a command in a process that is killed at a step.
func try(dir, name string, killAt int) (told attempt, err error) {
	command := exec.Command(os.Args[0])
	command.Env = append(
		os.Environ(), processWork+"=cut short", processRoot+"="+dir, processName+"="+name,
		// Under the race detector a process waits a second before it exits.
		processKillAt+"="+strconv.Itoa(killAt), "GORACE=atexit_sleep_ms=0",
	)
	out, err := command.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && !exit.Exited():
		return attempt{Killed: true}, nil
	case errors.As(err, &exit):
		return told, fmt.Errorf("%w: %s", err, exit.Stderr)
	case err != nil:
		return told, err
	}
	return told, json.Unmarshal(out, &told)
}

// meaning is everything that a killed command may leave only as it was or as it
// is to be: the tree, git's index, references, logs and locks. What git knows of
// a file's time and place on the disk is no part of it.
func meaning(dir string) (string, error) {
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		switch name {
		case ".git/objects":
			return fs.SkipDir
		case ".git/index":
			return nil
		}
		if strings.HasPrefix(name, ".git/memhtml-ls") && !strings.HasSuffix(name, "/journal.json") {
			return nil
		}
		fmt.Fprintln(&all, name)
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&all, "%s\n", text)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	index, err := gitAt(dir, "ls-files", "--stage", "-v")
	return all.String() + index, err
}

func gitAt(dir string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = dir
	out, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("git %s: %w %s", args[0], err, out)
	}
	return string(out), err
}

// reopened starts again where a process was killed, and returns what is there.
func reopened(dir string) (string, error) {
	root, err := Open(context.Background(), dir, Options{})
	if err != nil {
		return "", err
	}
	if err := root.Close(); err != nil {
		return "", err
	}
	return meaning(dir)
}

// quickDir is a folder in memory where the system has one: syncs cost nothing
// there, and a killed process leaves the same files as on a disk.
func quickDir(t *testing.T) string {
	t.Helper()
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err != nil || !info.IsDir() {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "session-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// scene is one command and what its repository is before and after it.
type scene struct {
	command             repeatable
	name, before, after string
	// dir holds the repository and, beside it, the copies in which it is killed.
	dir string
}

func (s *scene) copy(name string) (string, error) {
	dir := filepath.Join(s.dir, name)
	out, err := exec.Command("cp", "-a", filepath.Join(s.dir, "before"), dir).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("cp: %w %s", err, out)
	}
	return dir, err
}

// rehearse runs the command and once more, and returns its steps.
func (s *scene) rehearse() ([]string, error) {
	dir, err := s.copy("rehearsal")
	if err != nil {
		return nil, err
	}
	told, err := try(dir, s.name, 0)
	if err != nil {
		return nil, err
	}
	if told.Nothing || told.Code != "" {
		return nil, fmt.Errorf("the command did nothing: %+v", told)
	}
	if s.after, err = meaning(dir); err != nil {
		return nil, err
	}
	return told.Steps, s.finish(dir, s.after)
}

// finish asks for the command again where got is what there is, and demands that
// it is done then, or says that it was.
func (s *scene) finish(dir, got string) error {
	told, err := try(dir, s.name, 0)
	if err != nil {
		return err
	}
	if was := got == s.after; was != told.done(s.command) || !was && told.Code != "" {
		return fmt.Errorf("asked again, it said %+v", told)
	}
	if got, err = meaning(dir); err != nil || got != s.after {
		return fmt.Errorf("asked again, it did something else: %v\n%s", err, cmp.Diff(s.after, got))
	}
	return nil
}

// kill kills the command before a step, twice over, and demands exactly what was
// before or exactly what is to be.
func (s *scene) kill(step int, want string) error {
	dir, err := s.copy(strconv.Itoa(step))
	if err != nil {
		return err
	}
	for n := range 2 {
		told, err := try(dir, s.name, step)
		if err != nil {
			return err
		}
		if mayLive := n > 0 && want == s.after; !told.Killed && !(mayLive && told.done(s.command)) {
			return fmt.Errorf("not killed, said %+v", told)
		}
		if got, err := reopened(dir); err != nil || got != want {
			return fmt.Errorf("killed %d times and started again: %v\n%s", n+1, err, cmp.Diff(want, got))
		}
	}
	if _, err := gitAt(dir, "fsck", "--strict"); err != nil {
		return err
	}
	return errors.Join(s.finish(dir, want), os.RemoveAll(dir))
}

// Every command is killed before each of its steps. A start afterwards finds
// exactly what was before or exactly what is to be, and the command can be asked
// for again.
func TestEveryCommandKilledAtEveryStep(t *testing.T) {
	for name, command := range everyCommand {
		t.Run(name, func(t *testing.T) {
			f := newRepository(t, pools())
			if command.prepare != nil {
				command.prepare(f)
			}
			s := &scene{command: command, name: name, dir: quickDir(t)}
			if out, err := exec.Command("cp", "-a", f.dir, filepath.Join(s.dir, "before")).CombinedOutput(); err != nil {
				t.Fatalf("cp: %v %s", err, out)
			}
			var err error
			if s.before, err = reopened(filepath.Join(s.dir, "before")); err != nil {
				t.Fatal(err)
			}
			steps, err := s.rehearse()
			if err != nil {
				t.Fatal(err)
			}
			s.killAtEach(t, steps)
		})
	}
}

// killAtEach kills at all steps, as many at a time as there are processors.
func (s *scene) killAtEach(t *testing.T, steps []string) {
	commit := slices.Index(steps, store.StepRef)
	if commit < 0 || s.before == s.after {
		t.Fatalf("no commit among %q", steps)
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, step := range steps {
		want := s.before
		if i > commit {
			want = s.after
		}
		group.Go(func() error {
			if err := s.kill(i+1, want); err != nil {
				t.Errorf("killed at %d, %s: %v", i+1, step, err)
			}
			return nil
		})
	}
	_ = group.Wait()
}

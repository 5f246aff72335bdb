package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/fault"
)

// child is what a re-executed test binary is asked to do, in the environment.
type child struct {
	// Dir is the root, Do "commit" or "recover".
	Dir, Do string
	Plan    Plan
	// KillAt is the number of the step before which the process kills itself,
	// counted from 1; 0 never. FailAt is a step that fails.
	KillAt int
	FailAt string
	// NoExchange takes the way of systems that cannot exchange names.
	NoExchange bool
	// Trace is a file for the names of the steps.
	Trace string
}

const childVariable = "MEMHTML_STORE_TEST_CHILD"

// runChild is called by TestMain in the child.
func runChild(spec string) int {
	var c child
	if err := json.Unmarshal([]byte(spec), &c); err != nil {
		panic(err)
	}
	testOnlyNoExchange = c.NoExchange
	n := 0
	fault.Step = func(step string) error {
		n++
		if c.Trace != "" {
			f, err := os.OpenFile(c.Trace, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
			if err != nil {
				panic(err)
			}
			fmt.Fprintln(f, step)
			f.Close()
		}
		if n == c.KillAt {
			kill()
		}
		if step == c.FailAt {
			return syscall.ENOSPC
		}
		return nil
	}
	if err := c.run(); err != nil {
		fmt.Println(failure.CodeOf(err), err, errors.Unwrap(err))
		return 1
	}
	return 0
}

// kill ends this process with no chance to clean up.
func kill() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {}
}

func (c child) run() error {
	r, err := Open(context.Background(), c.Dir, Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	if c.Do == "recover" {
		_, err = r.Recover(context.Background())
		return err
	}
	_, err = r.Commit(context.Background(), c.Plan)
	return err
}

// start runs the child and tells whether it was killed.
func (c child) start(t testing.TB) (killed bool, out string, err error) {
	t.Helper()
	b, err := c.command(t).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && !exit.Exited() {
		return true, string(b), nil
	}
	return false, string(b), err
}

func (c child) command(t testing.TB) *exec.Cmd {
	t.Helper()
	spec, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	// Under the race detector a process waits a second before it exits.
	cmd.Env = append(os.Environ(), childVariable+"="+string(spec), "GORACE=atexit_sleep_ms=0")
	return cmd
}

// steps returns the names of the steps that the child takes.
func (c child) steps(t testing.TB) []string {
	t.Helper()
	c.Trace = filepath.Join(t.TempDir(), "trace")
	_, out, err := c.start(t)
	b, rerr := os.ReadFile(c.Trace)
	if rerr != nil {
		t.Fatalf("%v: %v %s", rerr, err, out)
	}
	return strings.Fields(string(b))
}

// crashPlan creates, replaces, moves and deletes, so that every step occurs.
func (s *sandbox) crashPlan() Plan {
	drainText, poolText, readme := s.read(drain), s.read(pool), s.read("README.html")
	return Plan{Changes: []Change{
		move(drain, moved, drainText),
		{From: pool, Path: pool, Expect: sum(poolText), After: []byte(poolText + "<!-- superseded -->\n")},
		{Path: "areas/inbox/new.html", After: []byte(article("new", "A new one."))},
		{From: "README.html", Expect: sum(readme)},
	}, Message: Message{Subject: "memhtml(plan): 4 decisions"}, At: testTime}
}

// crashBox is a repository in which the person has work of every kind.
func crashBox(t testing.TB) *sandbox {
	s := newSandbox(t)
	s.personalWork()
	return s
}

// quickDir is a folder in memory where the system has one: syncs cost nothing
// there, and a killed process leaves the same files as on a disk.
func quickDir(t testing.TB) string {
	t.Helper()
	const memory = "/dev/shm"
	if !isDir(memory) {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp(memory, "store-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (s *sandbox) copyTo(dir string) *sandbox {
	s.t.Helper()
	if out, err := exec.Command("cp", "-a", s.dir, dir).CombinedOutput(); err != nil {
		s.t.Fatalf("cp: %v %s", err, out)
	}
	return &sandbox{s.t, dir}
}

// TestKilledAtEveryStep kills the writer before each of its steps, then
// recovery before each of its own, twice over, and demands exactly the state
// before or exactly the state after.
func TestKilledAtEveryStep(t *testing.T) {
	s := crashBox(t)
	plan := s.crashPlan()
	before := s.meaning()
	whole := s.copyTo(filepath.Join(quickDir(t), "whole"))
	c := child{Dir: whole.dir, Do: "commit", Plan: plan}
	steps := c.steps(t)
	after := whole.meaning()
	if before == after {
		t.Fatal("the plan changed nothing")
	}
	for _, step := range constants(t, "Step") {
		if !slices.Contains(steps, step) {
			t.Errorf("step %s is never taken", step)
		}
	}
	// Runs after the parallel subtests.
	t.Cleanup(func() {
		for _, step := range constants(t, "Recover") {
			if !recovered.steps[step] {
				t.Errorf("step %s is never taken", step)
			}
		}
	})
	committed := false
	for i, step := range steps {
		want := before
		if committed {
			want = after
		}
		t.Run(fmt.Sprintf("%02d-%s", i+1, step), func(t *testing.T) {
			t.Parallel()
			killOnce(t, s, child{Do: "commit", Plan: plan, KillAt: i + 1}, want)
			if step == StepAside {
				killOnce(t, s, child{Do: "commit", Plan: plan, KillAt: i + 1, NoExchange: true}, want)
			}
		})
		committed = committed || step == StepRef
	}
}

// constants returns the values of the step constants with a prefix, from the
// source, so that a step without a kill point cannot be added.
func constants(t *testing.T, prefix string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "steps.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 || !strings.HasPrefix(v.Names[0].Name, prefix) {
			return true
		}
		if lit, ok := v.Values[0].(*ast.BasicLit); ok {
			values = append(values, strings.Trim(lit.Value, `"`))
		}
		return true
	})
	if len(values) == 0 {
		t.Fatalf("no constants %s…", prefix)
	}
	return values
}

// stepSet collects steps that were taken, from parallel tests.
type stepSet struct {
	mu    sync.Mutex
	steps map[string]bool
}

func (s *stepSet) add(steps []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, step := range steps {
		s.steps[step] = true
	}
}

var recovered = stepSet{steps: map[string]bool{}}

// killOnce kills a writer and then recovery at each of its steps.
func killOnce(t *testing.T, s *sandbox, c child, want string) {
	s = &sandbox{t, s.dir}
	dead := s.copyTo(filepath.Join(quickDir(t), "dead"))
	c.Dir = dead.dir
	if killed, out, err := c.start(t); !killed {
		t.Fatalf("not killed: %v %s", err, out)
	}
	rehearsal := dead.copyTo(filepath.Join(quickDir(t), "rehearsal"))
	recovery := child{Dir: rehearsal.dir, Do: "recover"}
	n := 0
	if exists(filepath.Join(dead.dir, ".git/memhtml-ls/journal.json")) {
		steps := recovery.steps(t)
		n = len(steps)
		recovered.add(steps)
	}
	for k := range n + 1 {
		again := dead.copyTo(filepath.Join(quickDir(t), strconv.Itoa(k)))
		for _, at := range []int{k, k} {
			if at == 0 {
				continue
			}
			if killed, out, err := (child{Dir: again.dir, Do: "recover", KillAt: at}).start(t); !killed && err != nil {
				t.Fatalf("recovery: %v %s", err, out)
			}
		}
		if _, out, err := (child{Dir: again.dir, Do: "recover"}).start(t); err != nil {
			t.Fatalf("recovery killed at %d: %v %s", k, err, out)
		}
		again.checkRecovered(t, want, k)
	}
}

func (s *sandbox) checkRecovered(t *testing.T, want string, k int) {
	t.Helper()
	if got := s.meaning(); got != want {
		t.Errorf("recovery killed at %d\n%s", k, diffLines(want, got))
	}
	r, err := Open(context.Background(), s.dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	// What no journal speaks of is cleared by the next writer.
	release, err := r.lockWriter(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := r.recover(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.sound()
}

package lsp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/fakeeditor"
	"github.com/memhtml-ls/memhtml-ls/lsp"
)

// childEnv makes the test binary be a server on its standard streams; its value
// is the watchdog's tick.
const childEnv = "MEMHTML_LSP_TEST_CHILD"

func serveChild() int {
	tick, err := time.ParseDuration(os.Getenv(childEnv))
	if err != nil {
		return 3
	}
	dieAt(os.Getenv(dieEnv))
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return lsp.Serve(context.Background(), os.Stdin, os.Stdout, lsp.Options{Logger: log, WatchdogTick: tick})
}

func TestShutdownThenExitIsZero(t *testing.T) {
	e := open(t, pair(t), fakeeditor.VSCode())
	e.Call("shutdown", nil, nil)
	if _, failure := e.Try("textDocument/codeAction", nil); failure == nil || failure.Code != -32600 {
		t.Errorf("a request after shutdown was answered %v", failure)
	}
	e.Notify("textDocument/didOpen", nil)
	e.Notify("exit", nil)
	if code := e.ExitStatus(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

func TestExitWithoutShutdownIsOne(t *testing.T) {
	e := open(t, pair(t), fakeeditor.VSCode())
	e.Notify("exit", nil)
	if code := e.ExitStatus(); code != 1 {
		t.Errorf("exit status %d", code)
	}
}

func TestExitBeforeInitialize(t *testing.T) {
	e := fakeeditor.Start(t, fakeeditor.Config{}, server(t, lsp.Options{}))
	e.Notify("exit", nil)
	if code := e.ExitStatus(); code != 1 {
		t.Errorf("exit status %d", code)
	}
}

func TestInputEndsRightAfterExit(t *testing.T) {
	e := open(t, pair(t), fakeeditor.VSCode())
	e.Go("shutdown", nil)
	e.Notify("exit", nil)
	e.CloseInput()
	if code := e.ExitStatus(); code != 0 {
		t.Errorf("exit status %d: what was read before the end of input was lost", code)
	}
}

func TestEndOfInputEndsTheServer(t *testing.T) {
	e := open(t, pair(t), fakeeditor.VSCode())
	started := time.Now()
	e.CloseInput()
	if code := e.ExitStatus(); code != 1 {
		t.Errorf("exit status %d", code)
	}
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("ended after %v", took)
	}
}

func TestSignalEndsTheServer(t *testing.T) {
	e := open(t, pair(t), fakeeditor.VSCode())
	e.Kill()
	if code := e.ExitStatus(); code != 1 {
		t.Errorf("exit status %d", code)
	}
}

// A client that never answers keeps a handler waiting; the end of input must
// not wait for it.
func TestEndOfInputWhileAHandlerWaits(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	e := fakeeditor.Open(t, fakeeditor.Config{
		Capabilities: fakeeditor.VSCode(), Folders: []string{pair(t).dir},
		Answer: func(method string, _ json.RawMessage) (any, bool) {
			if method == "client/registerCapability" {
				<-release
			}
			return nil, false
		},
	}, server(t, lsp.Options{CallTimeout: time.Hour}))
	e.Wait("the registration", func() bool { return len(e.Asked("client/registerCapability")) == 1 })
	started := time.Now()
	e.CloseInput()
	e.ExitStatus()
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("ended after %v", took)
	}
}

func TestRequestsBeforeInitialize(t *testing.T) {
	e := fakeeditor.Start(t, fakeeditor.Config{Capabilities: fakeeditor.VSCode()}, server(t, lsp.Options{}))
	e.Notify("textDocument/didOpen", fakeeditor.Object{"textDocument": fakeeditor.Object{"uri": "file:///x.html", "text": "x"}})
	for _, method := range []string{"textDocument/codeAction", "shutdown", "any/thing"} {
		if _, failure := e.Try(method, fakeeditor.Object{}); failure == nil || failure.Code != -32002 {
			t.Errorf("%s was answered %v", method, failure)
		}
	}
	e.Initialize()
	if _, failure := e.Try("initialize", fakeeditor.Object{"capabilities": fakeeditor.Object{}}); failure == nil || failure.Code != -32600 {
		t.Errorf("a second initialize was answered %v", failure)
	}
	if code := e.Leave(); code != 0 {
		t.Errorf("exit status %d", code)
	}
}

// child starts a server process whose pipe is kept open by this process.
func child(t testing.TB, tick string, log io.Writer, env ...string) (cmd *exec.Cmd, in io.WriteCloser, out io.Reader) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), childEnv+"="+tick), env...)
	cmd.Stderr = log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err = cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, out
}

// An editor that was killed while a helper keeps the pipe open.
func TestWatchdogEndsAnOrphan(t *testing.T) {
	editor := exec.Command("sleep", "600")
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	cmd, in, out := child(t, "20ms", nil)
	e := fakeeditor.Attach(t, fakeeditor.Config{ProcessID: editor.Process.Pid}, out, in)
	e.Initialize()
	if err := editor.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = editor.Wait()
	e.ExitStatus()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit status %d", code)
	}
}

func TestNoProcessIDNoWatchdog(t *testing.T) {
	cmd, in, out := child(t, "1ms", nil)
	e := fakeeditor.Attach(t, fakeeditor.Config{}, out, in)
	e.Initialize()
	// Many ticks pass while these are answered one after another.
	for range 200 {
		e.Try("any/thing", nil)
	}
	e.Call("shutdown", nil, nil)
	e.Notify("exit", nil)
	e.ExitStatus()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

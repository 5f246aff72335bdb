package lsp

import (
	"context"
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
)

// watchdogTick is how often the editor's process is looked for.
const watchdogTick = 5 * time.Second

// watchdog calls gone when the process pid has ended, and returns then or when
// ctx ends. It is for editors that were killed while something else keeps the
// pipe open.
func watchdog(ctx context.Context, pid int, tick time.Duration, gone func()) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if !alive(pid) {
				gone()
				return
			}
		}
	}
}

// alive reports whether a process exists. On Windows, where a process cannot
// be signalled, one that can be opened is taken to be alive.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	return runtime.GOOS == "windows" || !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

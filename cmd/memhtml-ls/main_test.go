package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// asCommand makes the test binary be the command itself, for tests that start
// processes without a script.
const asCommand = "MEMHTML_LS_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"memhtml-ls": main})
}

// TestScripts runs the transcripts of testdata/script; README.md there explains
// their language. UPDATE_SCRIPTS=1 rewrites what cmp expects.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for _, pair := range hermetic(env.WorkDir) {
				name, value, _ := strings.Cut(pair, "=")
				env.Setenv(name, value)
			}
			env.Values[modelKey{}] = &runningModel{}
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o755)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"bytes":  scriptBytes,
			"commit": scriptCommit,
			"config": scriptConfig,
			"digest": scriptDigest,
			"frames": scriptFrames,
			"memory": scriptMemory,
			"model":  scriptModel,
			"normal": scriptNormal,
			"repeat": scriptRepeat,
			"status": scriptStatus,
		},
	})
}

// hermetic is an environment in which git and the command see no settings but
// the test's.
func hermetic(home string) []string {
	return []string{
		"HOME=" + filepath.Join(home, "home"), "XDG_CONFIG_HOME=" + filepath.Join(home, "home"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=Tester", "GIT_AUTHOR_EMAIL=tester@example.org",
		"GIT_COMMITTER_NAME=Tester", "GIT_COMMITTER_EMAIL=tester@example.org",
		"LC_ALL=C.UTF-8", "TZ=UTC", "MEMHTML_ROOT=", "MEMHTML_LS_EMBEDDER_KEY=",
	}
}

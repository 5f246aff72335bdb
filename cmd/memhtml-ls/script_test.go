package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// memoryText is a memory that the format accepts.
func memoryText(claim, created string) string {
	return fmt.Sprintf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>%[1]s</title>
<meta name="memhtml-type" content="semantic">
<meta name="memhtml-status" content="active">
<meta name="memhtml-created" content="%[2]s">
<meta name="memhtml-updated" content="%[2]s">
</head>
<body>
<article>
<p><mark>%[1]s</mark></p>
</article>
</body>
</html>
`, claim, created)
}

// memory PATH CLAIM [DATE] writes a memory, archived if it is in the archive.
func scriptMemory(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: memory PATH CLAIM [DATE]")
	}
	created := "2026-01-02T03:04:05Z"
	if len(args) == 3 {
		created = args[2]
	}
	text := memoryText(args[1], created)
	if strings.HasPrefix(args[0], "archive/") {
		text = strings.Replace(text, `content="active"`, `content="archived"`, 1)
	}
	writeFile(ts, args[0], text)
}

// bytes PATH TEXT writes a file; TEXT has the escapes of a Go string, and %M
// stands for a memory that the format accepts, cut before </article>.
func scriptBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes PATH TEXT")
	}
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(args[1], `"`, `\"`) + `"`)
	ts.Check(err)
	writeFile(ts, args[0], strings.ReplaceAll(text, "%M", openMemory()))
}

func openMemory() string {
	text, _, _ := strings.Cut(memoryText("The gate closes at ten.", "2026-01-02T03:04:05Z"), "</article>")
	return text
}

// repeat PATH N UNIT writes an accepted memory with N times UNIT in its article.
func scriptRepeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: repeat PATH N UNIT")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	writeFile(ts, args[0], openMemory()+strings.Repeat(args[2], n))
}

// frames PATH MESSAGE… writes messages as the protocol frames them.
func scriptFrames(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: frames PATH MESSAGE…")
	}
	var out strings.Builder
	for _, message := range args[1:] {
		fmt.Fprintf(&out, "Content-Length: %d\r\n\r\n%s", len(message), message)
	}
	writeFile(ts, args[0], out.String())
}

func writeFile(ts *testscript.TestScript, path, text string) {
	path = ts.MkAbs(path)
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	ts.Check(os.WriteFile(path, []byte(text), 0o644))
}

// commit [MESSAGE] makes the working directory a repository, if it is none, and
// commits everything in it.
func scriptCommit(ts *testscript.TestScript, neg bool, args []string) {
	message := "start"
	if len(args) == 1 {
		message = args[0]
	}
	if _, err := os.Stat(ts.MkAbs(".git")); err != nil {
		ts.Check(ts.Exec("git", "init", "-q", "-b", "main"))
	}
	ts.Check(ts.Exec("git", "add", "-A"))
	ts.Check(ts.Exec("git", "commit", "-q", "-m", message))
}

// config FILE puts a file where the settings of the person are, on this system.
func scriptConfig(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: config FILE")
	}
	writeFile(ts, configPath(ts), ts.ReadFile(args[0]))
}

func configPath(ts *testscript.TestScript) string {
	dir := ts.Getenv("XDG_CONFIG_HOME")
	switch runtime.GOOS {
	case "darwin":
		dir = filepath.Join(ts.Getenv("HOME"), "Library", "Application Support")
	case "windows":
		dir = ts.Getenv("AppData")
	}
	return filepath.Join(dir, "memhtml-ls", "config.jsonc")
}

// status N COMMAND… demands an exit status.
func scriptStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND [ARGUMENT…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

var (
	commits  = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
	shorts   = regexp.MustCompile(`memhtml [0-9a-f]{7}\b`)
	times    = regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	years    = regexp.MustCompile(`archive/20\d\d/`)
	counters = regexp.MustCompile(`("(?:durationMs|pending)": )\d+`)
)

// normal stdout|stderr|FILE OUT writes a text with what differs from run to run
// replaced: commits, instants, the year of the archive, the folder.
func scriptNormal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: normal stdout|stderr|FILE OUT")
	}
	text := ts.ReadFile(args[0])
	text = strings.ReplaceAll(text, realPath(ts.MkAbs("/")+ts.Getenv("WORK")), "WORK")
	text = strings.ReplaceAll(text, ts.Getenv("WORK"), "WORK")
	text = commits.ReplaceAllString(text, "COMMIT")
	text = shorts.ReplaceAllString(text, "memhtml COMMIT")
	text = times.ReplaceAllString(text, "TIME")
	text = years.ReplaceAllString(text, "archive/YEAR/")
	text = counters.ReplaceAllString(text, "${1}N")
	writeFile(ts, args[1], text)
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// digest OUT writes down the state of the repository in the working directory:
// every file of the tree, git's index byte for byte, and every ref.
func scriptDigest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: digest OUT")
	}
	var out bytes.Buffer
	root := ts.MkAbs(".")
	ts.Check(filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		if err != nil || entry.IsDir() && rel != ".git" || !digested(rel) {
			return err
		}
		if rel == ".git" {
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&out, "%s %x\n", filepath.ToSlash(rel), sha256.Sum256(text))
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o644))
}

// digested leaves out what git and the index of memhtml-ls keep for themselves.
func digested(rel string) bool {
	rel = filepath.ToSlash(rel)
	inGit, ok := strings.CutPrefix(rel, ".git/")
	return !ok || inGit == "index" || inGit == "HEAD" || strings.HasPrefix(inGit, "refs/") || strings.HasPrefix(inGit, "logs/")
}

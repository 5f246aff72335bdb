package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// logLine is the line of the reflogs, as git commit writes it.
func (w *writer) logLine() string {
	old, kind := w.head.id(), "commit: "
	if w.head.Unborn {
		kind = "commit (initial): "
	}
	return old.String() + " " + w.commit.String() + " " + stamp(w.who.committer, w.plan.At) +
		"\t" + kind + oneLine(firstLine(w.message)) + "\n"
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func (w *writer) logBranch(context.Context) error {
	if w.head.Detached {
		return nil
	}
	return w.appendLog(w.head.Branch)
}

// appendLog adds the line to the log of a reference, if git keeps one.
func (w *writer) appendLog(name string) error {
	path := w.r.logPath(name)
	flags := os.O_WRONLY | os.O_APPEND
	if w.settings.logs() {
		flags |= os.O_CREATE
		if err := w.r.makeDir(filepath.Dir(path)); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if errors.Is(err, fs.ErrNotExist) && flags&os.O_CREATE == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	w.logs = append(w.logs, path)
	_, err = f.WriteString(w.journal.Log)
	return errors.Join(err, f.Close(), w.r.share(path))
}

// logs tells whether git makes a reflog where there is none.
func (s settings) logs() bool {
	v, ok := s["core.logallrefupdates"]
	return !ok || strings.EqualFold(v, "always") || s.bool("core.logallrefupdates", true)
}

// dropLog takes the line back if it is the log's last. A log that only held
// this line is removed.
func dropLog(path, line string) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	i := bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n') + 1
	// A write that the disk cut short leaves the beginning of the line.
	if i == len(b) || !strings.HasPrefix(line, string(b[i:])) {
		return nil
	}
	if i == 0 {
		return os.Remove(path)
	}
	return os.Truncate(path, int64(i))
}

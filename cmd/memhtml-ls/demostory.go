package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/diagnostics"
)

// The files of the example corpus that the story is about.
const (
	demoConflict  = "projects/berth-booking/pool-size-after-upgrade.html"
	demoIncumbent = "areas/ops/pool-size.html"
	demoCopy      = "areas/inbox/gateway-restart-from-chat.html"
	demoOriginal  = "areas/ops/drain.html"
	demoLink      = "projects/berth-booking/first-season.html"
	demoDate      = "areas/inbox/drafts/storm-of-2019.html"
	demoOwnWork   = "areas/house/tea.html"
)

// demoOpened are the files that are opened, with the finding that each shows.
var demoOpened = []struct {
	path string
	code diagnostics.Code
}{
	{demoConflict, diagnostics.FrameKeyConflict},
	{demoCopy, diagnostics.Duplicate},
	{demoLink, diagnostics.DanglingLink},
	{demoDate, diagnostics.TimeDatetime},
}

// play tells the story. Each chapter waits for what the server says; nothing is
// made up.
func (s *stage) play(ctx context.Context) error {
	s.ui.printf("The memory of a small boatyard, %s in a git repository of their own:\n%s\n",
		counted(s.files, "file"), s.ui.paint(dim, s.dir))
	s.ui.printf("A memhtml-ls server runs there, and is spoken to as an editor speaks to it.\n")
	for _, chapter := range []func(context.Context) error{s.hello, s.openFiles, s.ownWork, s.supersede, s.archive, s.history} {
		if err := chapter(ctx); err != nil {
			return err
		}
		if err := s.ui.out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) chapter(format string, args ...any) {
	s.ui.printf("\n%s\n\n", s.ui.paint(bold, fmt.Sprintf(format, args...)))
}

// hello is the handshake, with what a usual editor can do.
func (s *stage) hello(ctx context.Context) error {
	folder := fileURI(s.dir)
	err := s.client.call(ctx, "initialize", object{
		"processId": os.Getpid(), "rootUri": folder,
		"workspaceFolders": []object{{"uri": folder, "name": "demo"}},
		"capabilities": object{
			"general": object{"positionEncodings": []string{"utf-16"}},
			"textDocument": object{
				"publishDiagnostics": object{"relatedInformation": true, "versionSupport": true},
				"codeAction": object{
					"codeActionLiteralSupport": object{"codeActionKind": object{"valueSet": []string{"quickfix", "refactor"}}},
					"dataSupport":              true, "disabledSupport": true,
					"resolveSupport": object{"properties": []string{"edit", "command"}},
				},
			},
		},
	}, nil)
	if err != nil {
		return err
	}
	return s.client.notify("initialized", object{})
}

// openFiles opens a few files and shows what an editor would underline.
func (s *stage) openFiles(ctx context.Context) error {
	s.chapter("1. You open some files, and findings appear")
	for _, file := range demoOpened {
		text, err := os.ReadFile(s.abs(file.path))
		if err != nil {
			return err
		}
		err = s.client.notify("textDocument/didOpen", object{"textDocument": object{
			"uri": fileURI(s.abs(file.path)), "languageId": "html", "version": 1, "text": string(text),
		}})
		if err != nil {
			return err
		}
	}
	for _, file := range demoOpened {
		found, err := s.awaitFinding(ctx, file.path, file.code)
		if err != nil {
			return err
		}
		s.show(file.path, found)
	}
	return nil
}

// awaitFinding waits until a file shows a finding of a code.
func (s *stage) awaitFinding(ctx context.Context, path string, code diagnostics.Code) (found wireDiagnostic, err error) {
	err = s.client.wait(ctx, func() bool {
		for _, d := range s.client.published[fileURI(s.abs(path))] {
			if d.Code == string(code) {
				found = d
				return true
			}
		}
		return false
	})
	if err != nil {
		return found, fmt.Errorf("wait for %s in %s: %w", code, path, err)
	}
	return found, nil
}

// awaitClear waits until a file shows no finding of a code any more.
func (s *stage) awaitClear(ctx context.Context, path string, code diagnostics.Code) error {
	err := s.client.wait(ctx, func() bool {
		return !slices.ContainsFunc(s.client.published[fileURI(s.abs(path))],
			func(d wireDiagnostic) bool { return d.Code == string(code) })
	})
	if err != nil {
		return fmt.Errorf("wait until %s leaves %s: %w", code, path, err)
	}
	return nil
}

// show prints a finding as an editor shows it: the place, the words, and the
// other place.
func (s *stage) show(path string, d wireDiagnostic) {
	severity := diagnostics.Severity(d.Severity).String()
	s.ui.printf("  %s:%d:%d\n", path, d.Range.Start.Line+1, d.Range.Start.Character+1)
	s.ui.printf("    %s  %s\n", s.ui.paint(severityStyles[severity], severity+" "+d.Code), d.Message)
	for _, other := range d.Related {
		rel, _ := filepath.Rel(s.dir, filepath.FromSlash(strings.TrimPrefix(other.Location.URI, "file://")))
		s.ui.printf("    %s\n", s.ui.paint(dim, fmt.Sprintf("%s:%d  %s", filepath.ToSlash(rel), other.Location.Range.Start.Line+1, other.Message)))
	}
}

// ownWork is what the person has in hand: it must be there afterwards as it was.
func (s *stage) ownWork(ctx context.Context) error {
	s.chapter("2. Meanwhile you have changes of your own, not committed")
	text, err := os.ReadFile(s.abs(demoOwnWork))
	if err != nil {
		return err
	}
	text = append(text, "<!-- ask the harbour master -->\n"...)
	if err := os.WriteFile(s.abs(demoOwnWork), text, 0o644); err != nil {
		return err
	}
	return s.runGit(ctx, "status", "--short")
}

func (s *stage) supersede(ctx context.Context) error {
	s.chapter("3. On the conflict you choose what holds; nothing has changed until here")
	err := s.choose(ctx, demoConflict, diagnostics.FrameKeyConflict, "This supersedes "+demoIncumbent)
	if err != nil {
		return err
	}
	return s.settled(ctx, demoConflict, diagnostics.FrameKeyConflict)
}

func (s *stage) archive(ctx context.Context) error {
	s.chapter("4. On the duplicate you choose to archive the copy")
	err := s.choose(ctx, demoCopy, diagnostics.Duplicate, "Archive this copy, keep "+demoOriginal)
	if err != nil {
		return err
	}
	return s.settled(ctx, demoCopy, diagnostics.Duplicate)
}

// settled closes a file that a commit has changed, and waits for its finding to
// go, in every file that shows it.
func (s *stage) settled(ctx context.Context, path string, code diagnostics.Code) error {
	err := s.client.notify("textDocument/didClose", object{"textDocument": object{"uri": fileURI(s.abs(path))}})
	if err != nil {
		return err
	}
	if err := s.awaitClear(ctx, path, code); err != nil {
		return err
	}
	s.ui.printf("  The finding has gone.\n")
	return nil
}

// codeAction is what the server offers at a place.
type codeAction struct {
	Title    string `json:"title"`
	Disabled *struct {
		Reason string `json:"reason"`
	} `json:"disabled,omitempty"`
	Command *struct {
		Title     string            `json:"title"`
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	} `json:"command,omitempty"`
	Kind string          `json:"kind,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// choose asks for the actions at a finding, shows them, and takes one.
func (s *stage) choose(ctx context.Context, path string, code diagnostics.Code, title string) error {
	found, err := s.awaitFinding(ctx, path, code)
	if err != nil {
		return err
	}
	var offered []codeAction
	err = s.client.call(ctx, "textDocument/codeAction", object{
		"textDocument": object{"uri": fileURI(s.abs(path))}, "range": found.Range,
		"context": object{"diagnostics": []wireDiagnostic{found}},
	}, &offered)
	if err != nil {
		return err
	}
	var chosen *codeAction
	for i, action := range offered {
		mark := "  "
		if action.Title == title {
			chosen, mark = &offered[i], s.ui.paint(green, "> ")
		}
		s.ui.printf("  %s%s\n", mark, action.Title)
	}
	if chosen == nil || chosen.Disabled != nil {
		return fmt.Errorf("the action %q is not on offer", title)
	}
	return s.execute(ctx, *chosen)
}

// execute runs the command of an action and tells what it answered.
func (s *stage) execute(ctx context.Context, action codeAction) error {
	if action.Command == nil {
		if err := s.client.call(ctx, "codeAction/resolve", action, &action); err != nil {
			return err
		}
	}
	if action.Command == nil {
		return fmt.Errorf("the action %q has no command", action.Title)
	}
	var answer struct {
		Code  string `json:"code"`
		Error string `json:"error"`
		Data  struct {
			Commit string `json:"commit"`
		} `json:"data"`
	}
	err := s.client.call(ctx, "workspace/executeCommand", object{
		"command": action.Command.Command, "arguments": action.Command.Arguments,
	}, &answer)
	if err != nil {
		return err
	}
	if answer.Data.Commit == "" {
		return fmt.Errorf("%s answered %s: %s", action.Command.Command, answer.Code, answer.Error)
	}
	s.ui.printf("  One commit: %s\n", s.ui.paint(yellow, answer.Data.Commit[:shortCommit]))
	return nil
}

// history shows what git knows of it, and that the own work is as it was.
func (s *stage) history(ctx context.Context) error {
	s.chapter("5. What git has, and your own changes as they were")
	if err := s.runGit(ctx, "log", "--name-status", "--format=%h %s", "-2"); err != nil {
		return err
	}
	s.ui.printf("\n")
	return s.runGit(ctx, "status", "--short")
}

// runGit shows a git command and what it prints.
func (s *stage) runGit(ctx context.Context, args ...string) error {
	out, err := s.git(ctx, args...)
	if err != nil {
		return err
	}
	s.ui.printf("  %s\n", s.ui.paint(dim, "$ git "+shellWords(args)))
	for line := range strings.Lines(out) {
		s.ui.printf("  %s\n", strings.TrimRight(line, "\n"))
	}
	return nil
}

func (s *stage) farewell(kept bool) {
	if kept {
		s.ui.printf("\nThe repository is yours to try: memhtml-ls check --root %s\n", diagnostics.Shown(s.dir))
		return
	}
	s.ui.printf("\nThe repository is gone again; memhtml-ls demo --keep DIR leaves it to you.\n")
}

func (s *stage) abs(path string) string { return filepath.Join(s.dir, filepath.FromSlash(path)) }

// shellWords writes arguments so that they can be pasted into a shell.
func shellWords(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		if words[i] = arg; strings.ContainsAny(arg, " %") {
			words[i] = "'" + arg + "'"
		}
	}
	return strings.Join(words, " ")
}

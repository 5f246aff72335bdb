package main

import (
	"flag"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memhtml-ls/memhtml-ls/session"
)

func TestPermute(t *testing.T) {
	tests := []struct {
		args, rest  string
		name, value string
	}{
		{"a b", "a b", "name", ""},
		{"--name x a", "a", "name", "x"},
		{"a -name=x b", "a b", "name", "x"},
		{"a --name -- b", "a b", "name", "--"},
		{"a -- --name x", "a --name x", "name", ""},
		{"- a", "- a", "name", ""},
		{"--switch a", "a", "switch", "true"},
		{"a --switch=false", "a", "switch", "false"},
		{"--name= a", "a", "name", ""},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			flags := flag.NewFlagSet("test", flag.ContinueOnError)
			flags.SetOutput(io.Discard)
			flags.String("name", "", "")
			flags.Bool("switch", false, "")
			rest, err := permute(flags, strings.Fields(tt.args))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Fields(tt.rest), rest); diff != "" {
				t.Error(diff)
			}
			if got := flags.Lookup(tt.name).Value.String(); got != tt.value {
				t.Errorf("--%s is %q, want %q", tt.name, got, tt.value)
			}
		})
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestEveryCommandIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range commands() {
		if cmd.name == "" || cmd.short == "" || cmd.about == "" || cmd.setup == nil || seen[cmd.name] {
			t.Errorf("command %q lacks something or is there twice", cmd.name)
		}
		seen[cmd.name] = true
	}
}

// A line of apply lacked author, alias and the dates, which write has.
func TestOperationsHaveTheFieldsOfWrite(t *testing.T) {
	cmd, err := lookup("write")
	if err != nil {
		t.Fatal(err)
	}
	cmd.common, cmd.formats = 0, nil
	flags, _ := cmd.flagSet(&call{})
	want := []string{"aliases", "entities", "op", "tags"}
	flags.VisitAll(func(f *flag.Flag) { want = append(want, strings.ReplaceAll(f.Name, "-", "_")) })
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(session.OperationFields()))); diff != "" {
		t.Errorf("(-flags of write +fields)\n%s", diff)
	}
}

// A command that commits shows how it is called.
func TestHelpOfCommandsThatCommitHasAnExample(t *testing.T) {
	for _, name := range []string{"write", "apply", "correct", "update", "archive", "supersede", "link", "merge", "undo"} {
		cmd, err := lookup(name)
		if err != nil {
			t.Error(err)
		}
		if !strings.Contains(cmd.about, "\n  memhtml-ls "+name) {
			t.Errorf("the help of %s has no example", name)
		}
	}
}

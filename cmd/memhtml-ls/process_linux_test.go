package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFullOutputIsReported(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	cmd := process(t, t.TempDir(), "version")
	cmd.Stdout = full
	got := outcomeOf(t, cmd)
	want := outcome{Status: statusUnable, Stderr: "The result could not be written to standard output.\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

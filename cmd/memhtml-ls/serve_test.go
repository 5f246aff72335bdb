//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// TestServeSpeaksFramesAlone runs the whole of a conversation: standard output
// holds nothing but frames to its end, and a proper goodbye is status 0.
func TestServeSpeaksFramesAlone(t *testing.T) {
	cmd := process(t, t.TempDir(), "serve", "--stdio")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The read end stays open until the client has seen the end: Wait would
	// close it before.
	out, write := io.Pipe()
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = write, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := newClient(out, in)
	var answer struct {
		ServerInfo struct{ Name string }
	}
	err = errors.Join(
		c.call(t.Context(), "initialize", object{"processId": nil, "rootUri": nil, "capabilities": object{}}, &answer),
		c.notify("initialized", object{}),
		c.call(t.Context(), "shutdown", nil, nil),
		c.notify("exit", nil),
	)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || stderr.Len() > 0 {
		t.Errorf("%v, standard error %q", err, stderr.String())
	}
	write.Close()
	<-c.ended
	if answer.ServerInfo.Name != "memhtml-ls" || !errors.Is(c.err, io.EOF) {
		t.Errorf("server %q, the stream ended with %v", answer.ServerInfo.Name, c.err)
	}
}

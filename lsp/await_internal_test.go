package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// A wait for the folders that was cut short was taken for a file outside every
// root.
func TestNoFileIsOutsideBeforeTheFoldersAreOpen(t *testing.T) {
	arguments := []json.RawMessage{json.RawMessage(`{"uri":"file:///memories/areas/x.html"}`)}
	s := newServer(t.Context(), Options{IndexWait: time.Millisecond}.withDefaults())
	if _, err := s.run(t.Context(), "memhtml.archive", arguments); failure.CodeOf(err) != failure.IndexStale {
		t.Errorf("after the wait: %v", err)
	}
	s = newServer(t.Context(), Options{IndexWait: time.Hour}.withDefaults())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.run(ctx, "memhtml.archive", arguments); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

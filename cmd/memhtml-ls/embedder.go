package main

import (
	"os"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/internal/settings"
	"github.com/memhtml-ls/memhtml-ls/session"
)

// keyVariable is the environment variable with the key of an embedding server.
const keyVariable = "MEMHTML_LS_EMBEDDER_KEY"

// embedder is the one that the person's own settings name.
func (c *call) embedder() (embed.Embedder, error) {
	return session.NewEmbedder(settings.Resolve(c.ownSettings()...).Embedder, os.Getenv(keyVariable))
}

package session

import (
	"cmp"
	"time"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
	"github.com/memhtml-ls/memhtml-ls/internal/settings"
)

// The words of the setting embedder.use that are no protocol of a server.
const (
	useWording = "wording"
	useMemhtml = "memhtml"
)

// NewEmbedder is the embedder that the person's own settings name; key takes the
// place of a key that they do not have. The vectors of memhtml are no embedder:
// they are there or not. Failures are InvalidFlag or ModelUnavailable.
func NewEmbedder(s settings.Embedder, key string) (embed.Embedder, error) {
	switch s.Use {
	case useWording:
		return embed.Lexnorm{}, nil
	case useMemhtml:
		return nil, failure.New(failure.ModelUnavailable, "The vectors of memhtml are there for its own memories only; other texts have none.").
			Suggest("Set embedder.use in your settings to the server of a model.")
	}
	remote, err := embed.NewRemote(embed.Server{
		Protocol: embed.Protocol(s.Use), URL: s.URL, Model: s.Model, Key: cmp.Or(s.Key, key),
		Dim: s.Dimensions, Threshold: s.Threshold, Timeout: time.Duration(s.Timeout) * time.Second,
	})
	if err != nil {
		return nil, err
	}
	return embed.NewCached(remote), nil
}

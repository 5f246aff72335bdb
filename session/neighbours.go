package session

import (
	"context"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/index"
	"github.com/memhtml-ls/memhtml-ls/internal/calibrate"
	"github.com/memhtml-ls/memhtml-ls/internal/failure"
)

// Neighbours judges the n pairs of saved memories that are nearest to each other
// by the embedder of the person's settings. progress is told of the embedding and
// then of the search; it may be nil. A model that fails is a failure here, for
// there is nothing else to tell.
func (r *Root) Neighbours(ctx context.Context, n int, progress func(done, total int)) (calibrate.Neighbours, error) {
	var files []*index.File
	for file := range r.View().Snapshot.All() {
		if isCompared(file) {
			files = append(files, file)
		}
	}
	memories, err := r.vectors(ctx, files, progress)
	if err != nil {
		return calibrate.Neighbours{}, err
	}
	report, err := calibrate.Nearest(ctx, memories, r.Settings().Embedder.Threshold, n, progress)
	report.Embedder = r.Near().Embedder
	return report, err
}

func (r *Root) vectors(ctx context.Context, files []*index.File, progress func(done, total int)) ([]calibrate.Memory, error) {
	memories := make([]calibrate.Memory, len(files))
	for i, file := range files {
		memories[i] = calibrate.Memory{Path: file.Path, Claim: file.Gist}
	}
	if r.model == nil {
		texts := make([]string, len(files))
		for i, file := range files {
			texts[i] = file.Gist
		}
		vectors, err := embed.Lexnorm{}.Embed(ctx, texts)
		for i := range vectors {
			memories[i].Vector = vectors[i]
		}
		return memories, err
	}
	r.EmbedAll(ctx, progress)
	if err := r.model.unavailable(ctx); err != nil {
		return nil, err
	}
	for i, file := range files {
		memories[i].Vector = r.model.vector(file)
	}
	return memories, nil
}

// unavailable is why the model gives no vectors, nil where it does.
func (m *model) unavailable(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.failed != nil:
		return m.failed
	case ctx.Err() != nil:
		return failure.New(failure.Cancelled, "The embedder was not asked: the work was cancelled.").Wrap(ctx.Err())
	default:
		return nil
	}
}

// vector is that of a memory, nil where it has none.
func (m *model) vector(file *index.File) []float32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.space == nil {
		return nil
	}
	v, _ := m.space.Vector(m.source.name(file))
	return v
}

package calibrate

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/memhtml-ls/memhtml-ls/embed"
	"github.com/memhtml-ls/memhtml-ls/same"
)

// Report is the data of "calibrate.report" (cli.md).
type Report struct {
	// Embedder is its id; Threshold is the cosine at and above which it finds.
	Embedder  string  `json:"embedder"`
	Threshold float64 `json:"threshold"`
	Pairs     int     `json:"pairs"`
	Positives int     `json:"positives"`
	// Verdict is that a pair is called the same.
	Verdict Score `json:"verdict"`
	// Rows are the thresholds from 0.40 to 0.99, each without guard and with it:
	// the verdict is not that the pair differs.
	Rows  []Row  `json:"rows"`
	Kinds []Kind `json:"kinds"`
}

// Row is how the embedder does at one threshold.
type Row struct {
	Threshold float64 `json:"threshold"`
	Guard     bool    `json:"guard"`
	Score
}

// Kind is what became of the pairs of one kind and label.
type Kind struct {
	Kind    string `json:"kind"`
	Label   int    `json:"label"`
	Pairs   int    `json:"pairs"`
	Same    int    `json:"same"`
	Differs int    `json:"differs"`
	Apart   int    `json:"apart"`
	// Near are at or above the embedder's threshold and do not differ.
	Near     int   `json:"near"`
	SameRate *Rate `json:"sameRate"`
	NearRate *Rate `json:"nearRate"`
}

// The thresholds in hundredths: whole numbers, so that each is what it is called.
const (
	lowest  = 40
	highest = 99
)

// measured is a pair with what the program says of it.
type measured struct {
	Pair
	verdict same.Kind
	cosine  float64
}

// Measure judges the pairs and asks the embedder for the vectors of their claims,
// each claim once. Failures are those of the embedder.
func Measure(ctx context.Context, embedder embed.Embedder, pairs []Pair) (Report, error) {
	all, err := measure(ctx, embedder, pairs)
	if err != nil {
		return Report{}, err
	}
	report := Report{Embedder: embedder.ID(), Threshold: embedder.Threshold(), Pairs: len(all), Kinds: kinds(all, embedder.Threshold())}
	for _, m := range all {
		if m.Same {
			report.Positives++
		}
		report.Verdict.add(m.Same, m.verdict == same.Same)
	}
	report.Verdict = report.Verdict.finished()
	for t := lowest; t <= highest; t++ {
		for _, guard := range []bool{false, true} {
			report.Rows = append(report.Rows, row(all, float64(t)/100, guard))
		}
	}
	return report, nil
}

func measure(ctx context.Context, embedder embed.Embedder, pairs []Pair) ([]measured, error) {
	var texts []string
	place := map[string]int{}
	for _, p := range pairs {
		for _, text := range []string{p.A, p.B} {
			if _, known := place[text]; !known {
				place[text] = len(texts)
				texts = append(texts, text)
			}
		}
	}
	vectors, err := embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	all := make([]measured, len(pairs))
	for i, p := range pairs {
		verdict := same.Compare(same.Of(p.A), same.Of(p.B)).Kind
		all[i] = measured{p, verdict, embed.Cosine(vectors[place[p.A]], vectors[place[p.B]])}
	}
	return all, nil
}

func row(all []measured, threshold float64, guard bool) Row {
	r := Row{Threshold: threshold, Guard: guard}
	for _, m := range all {
		r.add(m.Same, embed.Reaches(m.cosine, threshold) && !(guard && m.verdict == same.Differs))
	}
	r.Score = r.finished()
	return r
}

// kinds counts by kind and label, by name, those that say the same first.
func kinds(all []measured, threshold float64) []Kind {
	type key struct {
		kind string
		same bool
	}
	counts := map[key]*Kind{}
	for _, m := range all {
		k := counts[key{m.Kind, m.Same}]
		if k == nil {
			k = &Kind{Kind: m.Kind}
			if m.Same {
				k.Label = 1
			}
			counts[key{m.Kind, m.Same}] = k
		}
		k.add(m, threshold)
	}
	sorted := make([]Kind, 0, len(counts))
	for k := range maps.Values(counts) {
		k.SameRate, k.NearRate = newRate(k.Same, k.Pairs), newRate(k.Near, k.Pairs)
		sorted = append(sorted, *k)
	}
	slices.SortFunc(sorted, func(a, b Kind) int {
		if a.Label != b.Label {
			return b.Label - a.Label
		}
		return strings.Compare(a.Kind, b.Kind)
	})
	return sorted
}

func (k *Kind) add(m measured, threshold float64) {
	k.Pairs++
	switch m.verdict {
	case same.Same:
		k.Same++
	case same.Differs:
		k.Differs++
	default:
		k.Apart++
	}
	if embed.Reaches(m.cosine, threshold) && m.verdict != same.Differs {
		k.Near++
	}
}

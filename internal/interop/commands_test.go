//go:build interop

package interop

import (
	"testing"
)

// TestSameCommandsGiveTheSameTree: the commands that both have, one after the
// other, leave the same files and the same log.
func TestSameCommandsGiveTheSameTree(t *testing.T) {
	w := newTwins(t)
	const (
		kiln, gate = "resources/glaze/kiln-three.html", "areas/inbox/the-gate-s-hours.html"
		pool       = "projects/yard/pool-2.html"
	)
	w.both("write", "--title", "Kiln three", "--type", "semantic", "--tag", "glaze", "--tag", "x & y", "--entity", "org:yard",
		"--claim", "Kiln three is 1222.", "--body", "It was <measured>.", "--body", "```go\nx := 1\n```", "--importance", "7", "--confidence", "0.125")
	w.both("write", "--title", " The gate’s hours ", "--type", "verdict", "--claim", "The gate closes at ten.", "--session-id", "s-1", "--prompt-id", "p\n2", "--turn-uuid", "t")
	w.both("write", "--title", "Pool 2", "--type", "semantic", "--workspace", "Yard", "--article-html", "<ul><li><mark>Pool 2 holds 40</mark> since <time datetime=2019-02-03>then</time></ul>")
	w.both("write", "--title", "Pool 2", "--type", "semantic", "--workspace", "Yard", "--claim", "Pool 2 is in the hall.")
	w.both("write", "--title", "Flood", "--type", "episodic", "--claim", "The yard was flooded.")
	w.both("write", "--title", "Rule", "--type", "arc", "--claim", "One writes at a time.", "--path", "areas/rules/r.html")
	w.both("write", "--title", "Twice", "--type", "semantic", "--claim", "The gate closes at ten.")
	w.same()

	w.both("correct", gate, "--title", "The gate at night", "--claim", "The gate closes at eight.", "--session-id", "s-2")
	w.both("correct", "areas/inbox/the-gate-at-night.html", "--title", "The gate at night", "--type", "precedent",
		"--article-html", "<p><mark>The gate closes at nine</mark> since <time datetime=\"2020-01-01\">new year</time>.</p>")
	w.both("link", kiln, "supports", pool)
	w.both("link", kiln, "supports", pool)
	w.both("link", kiln, "laterally_related", "projects/yard/pool-2-2.html")
	w.both("archive", pool, "--reason", "the hall\nis gone")
	w.both("archive", kiln, "--reason", "cold")
	w.same()
}

package session

import "sync/atomic"

// Work is what a root has done since it was opened. Where nothing changes it
// stands still.
type Work struct {
	// Passes is how many readings of the disk or of git changed what is known,
	// the first one included.
	Passes int64 `json:"passes"`
	// Parsed is how many files of the disk were parsed because their bytes were
	// new; what was only moved or touched is not.
	Parsed int64 `json:"parsed"`
	// Published is how many sets of findings the server has sent to its client.
	Published int64 `json:"published,omitempty"`
}

// work are the counters of a root.
type work struct{ passes, parsed atomic.Int64 }

func (w *work) report() Work { return Work{Passes: w.passes.Load(), Parsed: w.parsed.Load()} }

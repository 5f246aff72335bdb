package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is how many bytes the program takes before garbage is
// collected for the first time. A commit in a corpus of 20,000 ends below it,
// and collecting at the 4 MB that Go begins with is a tenth of its time.
const firstCollection = 64 << 20

// collectLate lets garbage lie until there is firstCollection of it, and then
// goes back to Go's own measure. Who has set that measure keeps theirs.
func collectLate() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	// The first collection finds that nothing holds this any more.
	runtime.AddCleanup(new([64]byte), func(percent int) {
		debug.SetMemoryLimit(math.MaxInt64)
		debug.SetGCPercent(percent)
	}, goPercent)
}

// goPercent is Go's measure: how much the heap grows between collections.
const goPercent = 100

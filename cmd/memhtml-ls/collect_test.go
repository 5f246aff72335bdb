package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestFirstCollectionRestoresTheMeasureOfGo(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	collectLate()
	if limit := debug.SetMemoryLimit(-1); limit != firstCollection {
		t.Errorf("the first collection is at %d bytes, want %d", limit, firstCollection)
	}
	for deadline := time.Now().Add(10 * time.Second); debug.SetMemoryLimit(-1) != math.MaxInt64; {
		if time.Now().After(deadline) {
			t.Fatal("garbage is still collected late after the first collection")
		}
		runtime.GC()
	}
}

func TestSetMeasureOfCollectionIsKept(t *testing.T) {
	t.Setenv("GOGC", "50")
	before := debug.SetMemoryLimit(-1)
	collectLate()
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("the limit went from %d to %d bytes although GOGC is set", before, after)
	}
}

//go:build race

package index

// raceFactor is how many times slower the race detector makes the work.
const raceFactor = 10

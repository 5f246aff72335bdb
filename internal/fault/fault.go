// Package fault lets tests of any room stop the writer of commits before a step
// of its own. In a program that people run it does nothing.
package fault

// Step is called with the name of each step before it is taken, see
// store/steps.go. An error it returns takes the place of the step's own. It is
// set by tests only, before anything writes.
var Step func(name string) error

// At calls Step where a test has set it.
func At(name string) error {
	if Step == nil {
		return nil
	}
	return Step(name)
}

//go:build !linux

package store

// exchange swaps two names in one step, which is not asked of this system.
func exchange(string, string) error { return errNoExchange }

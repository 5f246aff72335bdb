package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange swaps two names in one step. It fails with errNoExchange where the
// system or the file system cannot.
func exchange(a, b string) error {
	if testOnlyNoExchange {
		return errNoExchange
	}
	err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	return exchanged(a, b, err, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP)
}

func exchanged(a, b string, err error, cannot ...error) error {
	if err == nil {
		return nil
	}
	for _, e := range cannot {
		if errors.Is(err, e) {
			return errNoExchange
		}
	}
	return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
}

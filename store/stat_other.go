//go:build unix && !linux && !darwin && !freebsd && !netbsd

package store

import "io/fs"

// statFields knows nothing here: git then compares the content once and fills
// the fields in.
func statFields(fs.FileInfo) [10]uint32 { return [10]uint32{} }

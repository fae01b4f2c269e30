//go:build unix

package userfile

import "os"

// Rename puts a file in the place of another, and fails like [os.Rename]. Windows refuses
// while somebody has the other one open: there it blocks for two seconds at most.
func Rename(from, to string) error { return os.Rename(from, to) }

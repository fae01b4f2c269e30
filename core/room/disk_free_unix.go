//go:build unix

package room

import "syscall"

// freeBytes is what the user may still write to the disk of a directory.
func freeBytes(dir string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	return stat.Bavail * uint64(stat.Bsize), nil //nolint:unconvert,gosec // the types differ between systems, and no block is negative
}

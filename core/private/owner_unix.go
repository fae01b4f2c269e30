//go:build unix

package private

import (
	"io/fs"
	"os"
	"syscall"
)

// owner is the number of the user whom something belongs to; -1 where it cannot be told.
func owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// writable reports whether somebody else can write into a directory. Many systems give
// every user a group, and let it write.
func writable(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || info.Mode().Perm()&0o002 != 0 ||
		info.Mode().Perm()&0o020 != 0 && stat.Uid != 0 && int(stat.Gid) != os.Getegid()
}

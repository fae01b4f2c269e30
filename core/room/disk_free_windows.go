package room

import "golang.org/x/sys/windows"

// freeBytes is what the user may still write to the disk of a directory.
func freeBytes(dir string) (uint64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	return free, windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
}

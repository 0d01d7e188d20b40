//go:build unix

package audit

import "golang.org/x/sys/unix"

// openable is how many files this process may have open; 0: not told.
func openable() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), 1<<20)) // signed on some systems
}

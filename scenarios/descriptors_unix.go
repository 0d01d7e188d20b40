//go:build unix

package scenarios

import (
	"math"
	"syscall"
)

// caseDescriptors is what one case may need: listeners, both ends of its
// connections, and what the poller takes.
const caseDescriptors = 16

// descriptors is how many this process may have open, see RLIMIT_NOFILE in
// getrlimit(2). Without an answer nothing is held back.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}

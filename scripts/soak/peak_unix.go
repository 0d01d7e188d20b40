//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the largest resident set of an ended process in bytes, see ru_maxrss
// in getrusage(2): kilobytes, on Darwin bytes. 0 where it never started.
func peak(p *os.ProcessState) int64 {
	if p == nil {
		return 0
	}
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}

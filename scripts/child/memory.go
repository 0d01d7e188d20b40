package child

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

// Memory is what a process uses, in bytes.
type Memory struct {
	Heap     uint64 `json:"heap"`   // what lives
	Stacks   uint64 `json:"stacks"` // of the goroutines
	Resident uint64 `json:"rss"`    // the resident set, see proc_pid_status(5); 0 where there is no /proc
	Peak     uint64 `json:"peak"`   // the largest resident set since ResetPeak
}

// MeasureMemory collects the garbage, gives back to the system what is free,
// and says what is left.
func MeasureMemory() Memory {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Memory{
		Heap: m.HeapAlloc, Stacks: m.StackInuse,
		Resident: fromStatus("VmRSS"), Peak: fromStatus("VmHWM"),
	}
}

// ResetPeak begins the count of the peak anew (proc_pid_clear_refs(5)).
func ResetPeak() error {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return fmt.Errorf("reset peak: %w", err)
	}
	return nil
}

// fromStatus is a line of /proc/self/status in bytes, 0 where there is none.
func fromStatus(name string) uint64 {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(raw) {
		f := bytes.Fields(line)
		if len(f) == 3 && string(f[0]) == name+":" {
			kib, err := strconv.ParseUint(string(f[1]), 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return 0
}

// Descriptors counts the open file descriptors of this process, with the one
// that it takes to count them.
func Descriptors() (int, error) {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, fmt.Errorf("count descriptors: %w", err)
	}
	return len(list), nil
}

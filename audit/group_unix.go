//go:build unix && !linux

package audit

import (
	"errors"
	"syscall"
	"time"
)

// Compiled for darwin and freebsd; not run on either yet.

// groupAttr puts a process into a group of its own, to be killed with it.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// A reaper kills process groups; what has left its group is not found here.
type reaper struct{}

func newReaper() (*reaper, error) { return &reaper{}, nil }

func (*reaper) close() error  { return nil }
func (*reaper) own(int, bool) {}

func (*reaper) group(pid int) error {
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

func (*reaper) kill(mark, time.Duration) error { return nil }

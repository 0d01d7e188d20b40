package audit

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// Compiled for windows; not run there yet.

// groupAttr puts a process into a group of its own.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// A reaper kills commands; what they started is not found here.
type reaper struct{}

func newReaper() (*reaper, error) { return &reaper{}, nil }

func (*reaper) close() error  { return nil }
func (*reaper) own(int, bool) {}

func (*reaper) kill(pid int, _ string, _ time.Duration) error {
	if pid <= 0 {
		return nil
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil // it is gone
	}
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

package audit

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// groupAttr puts a process into a group of its own, to be killed with it, and
// lets it die with this one.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
}

// A reaper kills what commands leave behind. It makes this process the one
// that orphans below it fall to (PR_SET_CHILD_SUBREAPER, prctl(2)), so that a
// daemon is a child of ours once its parents are gone.
type reaper struct {
	whole bool // this is process 1 of a namespace, in which all others are the command's

	mu    sync.Mutex
	known map[int]bool // the commands themselves, which others wait for
}

func newReaper() (*reaper, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, os.NewSyscallError("prctl", err)
	}
	return &reaper{known: map[int]bool{}}, nil
}

func (r *reaper) close() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0))
}

// wholeReaper is that of a process 1.
func wholeReaper() *reaper { return &reaper{whole: true, known: map[int]bool{}} }

// own enters that pid is a command, or no longer one.
func (r *reaper) own(pid int, yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if yes {
		r.known[pid] = true
	} else {
		delete(r.known, pid)
	}
}

// strays lists the children that are no commands and belong to a mark.
func (r *reaper) strays(mark mark) []int {
	list := children(os.Getpid())
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(list, func(pid int) bool { return r.known[pid] || !belongs(pid, mark) })
}

// group kills a process group.
func (r *reaper) group(pid int) error {
	if r.whole {
		pid = 1 // all there is
	}
	if err := unix.Kill(-pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return os.NewSyscallError("kill", err)
	}
	return nil
}

// kill kills what has left its group: children of ours with the mark. A mark
// without a pipe is that of every run, and goes for those in another group than
// ours too: daemons that nothing else tells of. The commands themselves have
// been waited for. It returns when all are gone, or cannot be killed within
// patience.
func (r *reaper) kill(mark mark, patience time.Duration) error {
	if r.whole {
		return r.reapAll(patience)
	}
	dying := map[int]bool{}
	for end := time.Now().Add(patience); ; {
		found := r.strays(mark)
		for _, stray := range found {
			killTree(stray)
			dying[stray] = true
		}
		for stray := range dying {
			var status unix.WaitStatus
			if got, err := unix.Wait4(stray, &status, unix.WNOHANG, nil); got == stray || errors.Is(err, unix.ECHILD) {
				delete(dying, stray)
			}
		}
		switch {
		case len(found) == 0 && len(dying) == 0:
			return nil
		case time.Now().After(end):
			return errLeft
		case len(dying) > 0:
			<-time.After(time.Millisecond)
		}
	}
}

// reapAll kills and reaps every other process of the namespace; /proc may be
// that of another.
func (r *reaper) reapAll(patience time.Duration) error {
	return killAndReap(patience, func() error { return r.group(1) })
}

// KillChildren kills and reaps every process below this one, and returns when
// none is left, or cannot be killed within patience. It is for a process that
// orphans fall to, and that waits for none itself.
func KillChildren(patience time.Duration) error {
	return killAndReap(patience, func() error {
		for _, pid := range children(os.Getpid()) {
			killTree(pid)
		}
		return nil
	})
}

// killAndReap kills, and reaps what has ended, until no child is left; what is
// started meanwhile is killed in its turn. It gives up after patience.
func killAndReap(patience time.Duration, kill func() error) error {
	for end := time.Now().Add(patience); ; {
		if err := kill(); err != nil {
			return err
		}
		var status unix.WaitStatus
		got, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return nil
		case time.Now().After(end):
			return errLeft
		case got == 0:
			<-time.After(time.Millisecond)
		}
	}
}

// errLeft: something survived its killing.
var errLeft = errors.New("processes that the command left behind cannot be killed")

// killTree kills pid and its descendants, the parents first, so that none can
// start another unseen: whose parent dies falls to us.
func killTree(pid int) {
	below := children(pid)
	_ = unix.Kill(pid, unix.SIGKILL) // gone already is as well
	for _, child := range below {
		killTree(child)
	}
}

// belongs: pid lives, and has the mark. One whose program is ours is about to
// become another's, or works for this process; it has all that we have open.
func belongs(pid int, mark mark) bool {
	folder := "/proc/" + strconv.Itoa(pid)
	env, err := os.ReadFile(folder + "/environ")
	if err != nil {
		return false // it is gone
	}
	if bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark.env)) {
		return true
	}
	theirs, err := os.Stat(folder + "/exe")
	ours, ourErr := os.Stat("/proc/self/exe")
	if err != nil || ourErr != nil || os.SameFile(theirs, ours) {
		return false
	}
	if mark.pipe == nil {
		group, err := unix.Getpgid(pid)
		return err == nil && group != unix.Getpgrp()
	}
	open, err := os.ReadDir(folder + "/fd")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(open, func(fd os.DirEntry) bool {
		info, err := os.Stat(folder + "/fd/" + fd.Name())
		return err == nil && os.SameFile(info, mark.pipe)
	})
}

// children lists those of a process, over all of its threads.
func children(pid int) []int {
	files, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		return nil
	}
	var list []int
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if n, err := strconv.Atoi(field); err == nil {
				list = append(list, n)
			}
		}
	}
	return list
}

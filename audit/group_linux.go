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

// strays lists the children that are no commands and belong to mark.
func (r *reaper) strays(mark string) []int {
	list := children(os.Getpid())
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(list, func(pid int) bool { return r.known[pid] || !belongs(pid, mark) })
}

// kill kills the group pid, where there is one, and what has left it: children
// of ours that have mark in their environment. With an empty mark it kills
// those that are in another session than ours: daemons whose environment tells
// nothing. It returns when they are gone, or cannot be killed within patience.
func (r *reaper) kill(pid int, mark string, patience time.Duration) error {
	if r.whole {
		return r.killAll(pid == 0, patience)
	}
	if pid > 0 {
		if err := unix.Kill(-pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
			return os.NewSyscallError("kill", err)
		}
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
			return errors.New("processes that the command left behind cannot be killed")
		case len(dying) > 0:
			<-time.After(time.Millisecond)
		}
	}
}

// killAll kills every other process of the namespace; /proc may be that of
// another. reap: the command itself has been waited for, and so all the others
// can be.
func (r *reaper) killAll(reap bool, patience time.Duration) error {
	if err := unix.Kill(-1, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		return os.NewSyscallError("kill", err)
	}
	for end := time.Now().Add(patience); reap; {
		var status unix.WaitStatus
		got, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return nil
		case time.Now().After(end):
			return errors.New("processes that the command left behind cannot be killed")
		case got == 0:
			<-time.After(time.Millisecond)
		}
	}
	return nil
}

// killTree kills pid and its descendants, the parents first, so that none can
// start another unseen: whose parent dies falls to us.
func killTree(pid int) {
	below := children(pid)
	_ = unix.Kill(pid, unix.SIGKILL) // gone already is as well
	for _, child := range below {
		killTree(child)
	}
}

// belongs: pid lives, and its environment has mark, or, without a mark, its
// session is not ours.
func belongs(pid int, mark string) bool {
	if mark == "" {
		ours, err := unix.Getsid(0)
		theirs, theirErr := unix.Getsid(pid)
		return err == nil && theirErr == nil && ours != theirs
	}
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false // it is gone
	}
	return bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00"))
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

//go:build linux

package netns_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/retry-lab/retry-lab/netns"
	"golang.org/x/sys/unix"
)

func TestNothingOutlivesAKilledParent(t *testing.T) {
	rows := []struct {
		why, child string
		ns         netns.Namespaces
		processes  int // that are to be gone
	}{
		{"a plain child", "hang", 0, 1},
		{"one in namespaces", "hang", every, 1},
		{"one in a user namespace, too", "hang", every | netns.User, 1},
		{"with a descendant in a session of its own", "hang-family", every, 2},
		{"one that asked the kernel to be spared: stdin ends", "hang-immune", every, 1},
		{"a plain one that asked the kernel to be spared", "hang-immune", 0, 1},
		{"one that never looks at stdin: the kernel kills it", "hang-stranger", every, 1},
		{"a plain one that never looks at stdin", "hang-stranger", 0, 1},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			t.Parallel()
			ready := sign(t)
			parent, ended := startParent(t, "", netns.Spec{Args: []string{roleChild, r.child, ready}, Namespaces: r.ns})
			within(t, "the child hangs, or cannot be started", func() bool { return exists(ready) || len(ended) > 0 })
			if len(ended) > 0 {
				skipOrFail(t, <-ended)
			}
			pids := slices.DeleteFunc(childrenWith(t, ready), func(pid int) bool { return pid == parent.Pid })
			if len(pids) != r.processes {
				t.Errorf("processes %v of the child, want %d", pids, r.processes)
			}
			killAfter(t, pids)
			net, err := os.Readlink("/proc/" + strconv.Itoa(pids[0]) + "/ns/net")
			if err != nil {
				t.Fatal(err)
			}
			if err := parent.Kill(); err != nil {
				t.Fatal(err)
			}
			<-ended
			for _, pid := range pids {
				within(t, "the child is gone", func() bool { return !alive(pid) })
			}
			if r.ns != 0 {
				within(t, "its network namespace has no process", func() bool { return len(inNetwork(t, net)) == 0 })
			}
		})
	}
}

// The parent may be killed while it is still starting the child.
func TestNothingOutlivesAParentKilledEarly(t *testing.T) {
	for i := range 20 {
		ready := sign(t)
		parent, ended := startParent(t, "", netns.Spec{Args: []string{roleChild, "hang", ready}, Namespaces: every})
		// Both have ready among their arguments, the child before it runs.
		within(t, "there is a child", func() bool { return len(childrenWith(t, ready)) > 1 || len(ended) > 0 })
		if len(ended) > 0 {
			skipOrFail(t, <-ended)
		}
		killAfter(t, childrenWith(t, ready))
		if err := parent.Kill(); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		<-ended
		within(t, "the child is gone", func() bool { return len(childrenWith(t, ready)) == 0 })
	}
}

// killAfter kills those of pids that a failed test leaves behind.
func killAfter(t *testing.T, pids []int) {
	t.Cleanup(func() {
		for _, pid := range pids {
			if t.Failed() && alive(pid) {
				t.Log("kill what was left: ", pid, unix.Kill(pid, unix.SIGKILL))
			}
		}
	})
}

func childHang(_ *netns.Child, args []string) (any, error) {
	return nil, errors.Join(touch(args[0]), forever())
}

// childHangFamily has a child that left its process group.
func childHangFamily(_ *netns.Child, args []string) (any, error) {
	cmd := exec.Command("/proc/self/exe", roleChild, "hang-stranger", args[0])
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return nil, cmd.Run()
}

func childHangImmune(_ *netns.Child, args []string) (any, error) {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0); err != nil {
		return nil, err
	}
	return nil, errors.Join(touch(args[0]), forever())
}

// forever never returns, whatever is sent to the process that can be ignored.
func forever() error {
	for {
		if err := unix.Pause(); err != unix.EINTR {
			return err
		}
	}
}

// deathSignal is the signal that the kernel sends when the parent dies.
func deathSignal() (int, error) {
	var sig int32
	// Not unix.Prctl: the stack, and sig with it, may move on the way there.
	_, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_GET_PDEATHSIG, uintptr(unsafe.Pointer(&sig)), 0)
	if errno != 0 {
		return 0, errno
	}
	return int(sig), nil
}

// childrenWith lists the processes that have arg among their arguments.
func childrenWith(t *testing.T, arg string) []int {
	t.Helper()
	var pids []int
	for _, pid := range processes(t) {
		line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err == nil && strings.Contains(string(line), arg) && alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// inNetwork lists the processes in the network namespace of that name.
func inNetwork(t *testing.T, name string) []int {
	t.Helper()
	var pids []int
	for _, pid := range processes(t) {
		link, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "ns/net"))
		if err == nil && link == name {
			pids = append(pids, pid)
		}
	}
	return pids
}

// processes lists all process ids of the machine.
func processes(t *testing.T) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// alive reports whether the process runs; a dead one that its new parent has
// not waited for yet does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, "X")
}

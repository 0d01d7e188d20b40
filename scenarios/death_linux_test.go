package scenarios

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A child changes its own network and its own mounts. When the lab goes, in
// whatever way, all of that goes.
func TestNothingIsLeftOfAChildWhoseLabIsGone(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			before := machine(t)
			sign := filepath.Join(t.TempDir(), "sign")
			var stderr bytes.Buffer
			lab := exec.Command("/proc/self/exe", roleLab, "test-child/hangs")
			lab.Env = append(os.Environ(), signVariable+"="+sign)
			lab.Stderr = &stderr
			lab.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := lab.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- lab.Wait() }()
			awaitOn(t, "the child hangs, or cannot run here", func() bool {
				_, err := os.Stat(sign)
				return err == nil || len(ended) > 0
			})
			if len(ended) > 0 {
				t.Skipf("the case ended by itself: %v %s", <-ended, &stderr)
			}
			children := childrenOf(t, lab.Process.Pid)
			if len(children) != 1 {
				t.Fatalf("children %v, want 1", children)
			}
			network, err := os.Readlink("/proc/" + children[0] + "/ns/net")
			if err != nil {
				t.Fatal(err)
			}
			// As the terminal does: to the whole group.
			if err := syscall.Kill(-lab.Process.Pid, sig); err != nil {
				t.Fatal(err)
			}
			<-ended
			awaitOn(t, "nobody is in the child's network", func() bool { return !slices.Contains(networks(t), network) })
			if after := machine(t); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

// machine is what a child could have changed of it and this process can see.
func machine(t *testing.T) string {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	routes, err := os.ReadFile("/proc/self/net/route")
	if err != nil {
		t.Fatal(err)
	}
	named, err := filepath.Glob("/run/netns/*")
	if err != nil {
		t.Fatal(err)
	}
	return string(mounts) + string(routes) + strings.Join(named, "\n")
}

// childrenOf lists a process's children.
func childrenOf(t *testing.T, pid int) []string {
	t.Helper()
	lists, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, strings.Fields(string(text))...)
	}
	return pids
}

// networks are the network namespaces that have a process, as far as this user
// may see them.
func networks(t *testing.T) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, link := range links {
		if name, err := os.Readlink(link); err == nil { // else it has just gone, or is another user's
			names = append(names, name)
		}
	}
	return names
}

// awaitOn waits for what the kernel does in its own time.
func awaitOn(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

//go:build linux

package netns_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/retry-lab/retry-lab/netns"
	"golang.org/x/sys/unix"
)

// An errand is what a process in the role of a parent does: it prepares
// itself, and runs a child.
type errand struct {
	Prepare string
	Spec    netns.Spec
}

// A homecoming is how an errand ended.
type homecoming struct {
	Answer      string
	Error       string // of Run, "" for none
	Unavailable bool
	NewMounts   []string // that the parent has since it ran the child
	User        string   // the parent's user namespace
}

// preparations are what may be different about a parent.
var preparations = map[string]func() error{
	"":              func() error { return nil },
	"share-mounts":  shareMounts,
	"no-namespaces": func() error { return os.WriteFile("/proc/sys/user/max_net_namespaces", []byte("0"), 0) },
	"no-admin":      dropAdmin,
}

// beParent runs one errand and prints its homecoming.
func beParent(text string) error {
	runtime.LockOSThread() // rights are a thread's
	var e errand
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return err
	}
	if err := preparations[e.Prepare](); err != nil {
		return json.NewEncoder(os.Stdout).Encode(homecoming{Error: "cannot prepare: " + err.Error(), Unavailable: true})
	}
	before, err := mounts()
	if err != nil {
		return err
	}
	answer, runErr := netns.Run(context.Background(), e.Spec)
	after, err := mounts()
	if err != nil {
		return err
	}
	user, err := os.Readlink("/proc/self/ns/user")
	if err != nil {
		return err
	}
	h := homecoming{Answer: string(answer), User: user}
	for mount := range after {
		if !before[mount] {
			h.NewMounts = append(h.NewMounts, mount)
		}
	}
	if runErr != nil {
		h.Error = runErr.Error()
		_, h.Unavailable = errors.AsType[*netns.Unavailable](runErr)
	}
	return json.NewEncoder(os.Stdout).Encode(h)
}

// shareMounts makes every mount one that spreads, as systemd does at boot.
func shareMounts() error {
	return unix.Mount("none", "/", "", unix.MS_REC|unix.MS_SHARED, "")
}

// dropAdmin takes from root what containers take from it.
func dropAdmin() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	data[0].Effective &^= 1 << unix.CAP_SYS_ADMIN
	data[0].Permitted &^= 1 << unix.CAP_SYS_ADMIN
	return unix.Capset(&header, &data[0])
}

// mounts lists this process's mounts.
func mounts() (map[string]bool, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	list := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		list[line] = true
	}
	return list, err
}

// startParent starts a process on an errand, in a session of its own. A parent
// that prepares itself does so as root of namespaces of its own, in which it
// can do no harm. What it printed, if it ends by itself, arrives when it has ended.
func startParent(t *testing.T, prepare string, spec netns.Spec) (*os.Process, <-chan string) {
	t.Helper()
	text, err := json.Marshal(errand{prepare, spec})
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	parent := exec.Command("/proc/self/exe", roleParent, string(text))
	parent.Stdout, parent.Stderr = &output, &output
	parent.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if prepare != "" {
		parent.SysProcAttr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET
		parent.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		parent.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	if err := parent.Start(); err != nil {
		if prepare != "" && mayLack(t, err) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	ended := make(chan string, 1)
	go func() {
		if err := parent.Wait(); err != nil {
			fmt.Fprint(&output, err)
		}
		ended <- output.String()
	}()
	return parent.Process, ended
}

// runParent is startParent to the errand's end.
func runParent(t *testing.T, prepare string, spec netns.Spec) homecoming {
	t.Helper()
	_, ended := startParent(t, prepare, spec)
	return decodeHomecoming(t, <-ended)
}

func decodeHomecoming(t *testing.T, text string) homecoming {
	t.Helper()
	var h homecoming
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		t.Fatalf("the parent's output %q: %v", text, err)
	}
	if strings.HasPrefix(h.Error, "cannot prepare") && mayLack(t, errors.New(h.Error)) {
		t.Skip(h.Error)
	}
	return h
}

// skipOrFail ends a test whose parent has come home when it should not.
func skipOrFail(t *testing.T, text string) {
	t.Helper()
	h := decodeHomecoming(t, text)
	if err := errors.New(h.Error); h.Unavailable && mayLack(t, err) {
		t.Skip(err)
	}
	t.Fatalf("the parent ended by itself: %+v", h)
}

func TestChildrensMountsDoNotSpread(t *testing.T) {
	h := runParent(t, "share-mounts", netns.Spec{Args: []string{roleChild, "resolver", ""}, Namespaces: every})
	if h.Unavailable && mayLack(t, errors.New(h.Error)) {
		t.Skip(h.Error)
	}
	if h.Error != "" || len(h.NewMounts) != 0 {
		t.Errorf("%+v, want no error and no new mount in the parent", h)
	}
}

func TestNamespacesThatAreUsedUpAreUnavailable(t *testing.T) {
	h := runParent(t, "no-namespaces", netns.Spec{Args: []string{roleChild, "answer"}, Namespaces: netns.Network})
	want := "cannot start a child process with its own namespaces (pid, network"
	if !h.Unavailable || !strings.Contains(h.Error, want) || !strings.Contains(h.Error, "the limit in /proc/sys/user is reached") {
		t.Errorf("%+v, want %q and the limit named", h, want)
	}
}

func TestRootWithoutTheRightTakesAUserNamespace(t *testing.T) {
	h := runParent(t, "no-admin", netns.Spec{Args: []string{roleChild, "self"}, Namespaces: netns.Network})
	if h.Unavailable && mayLack(t, errors.New(h.Error)) {
		t.Skip(h.Error)
	}
	var got self
	if err := json.Unmarshal([]byte(h.Answer), &got); err != nil {
		t.Fatalf("%+v: %v", h, err)
	}
	if got.UID != 0 || got.Links["user"] == h.User {
		t.Errorf("uid %d in %s, want 0 in another than its parent's", got.UID, got.Links["user"])
	}
}

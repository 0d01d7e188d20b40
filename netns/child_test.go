//go:build linux

package netns_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/netns"
	"golang.org/x/sys/unix"
)

// A self is what a child knows of itself.
type self struct {
	Links       map[string]string // its namespaces
	PID, UID    int
	DeathSignal int
	Group       bool // it leads a process group
	NoFile      unix.Rlimit
	Name        string
}

func childSelf(*netns.Child, []string) (any, error) {
	s := self{Links: map[string]string{}, PID: os.Getpid(), UID: os.Getuid(), Group: unix.Getpgrp() == os.Getpid(), Name: os.Args[0]}
	for _, name := range []string{"mnt", "pid", "net", "user"} {
		link, err := os.Readlink("/proc/self/ns/" + name)
		if err != nil {
			return nil, err
		}
		s.Links[name] = link
	}
	sig, err := deathSignal()
	s.DeathSignal = sig
	return s, errors.Join(err, unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &s.NoFile))
}

func TestChildGetsTheNamespacesAskedFor(t *testing.T) {
	rows := []struct {
		ns, want netns.Namespaces
	}{
		{0, 0},
		{netns.PID, netns.PID},
		{netns.Mount, netns.Mount | netns.PID},
		{netns.Network, netns.Network | netns.PID},
		{every | netns.User, every | netns.User},
	}
	bits := map[string]netns.Namespaces{"mnt": netns.Mount, "pid": netns.PID, "net": netns.Network, "user": netns.User}
	for _, r := range rows {
		t.Run("ask for "+r.ns.String(), func(t *testing.T) {
			got := run[self](t, netns.Spec{Namespaces: r.ns}, "self")
			want := r.want
			if want != 0 && os.Getuid() != 0 {
				want |= netns.User
			}
			var own netns.Namespaces
			for name, bit := range bits {
				mine, err := os.Readlink("/proc/self/ns/" + name)
				if err != nil {
					t.Fatal(err)
				}
				if got.Links[name] != mine {
					own |= bit
				}
			}
			// Root may have had to take the user's, too.
			if own != want && own != want|netns.User {
				t.Errorf("own namespaces: %v, want %v", own, want)
			}
			if own&netns.PID != 0 && got.PID != 1 {
				t.Errorf("pid %d in a namespace of its own, want 1", got.PID)
			}
			if own&netns.User != 0 && got.UID != 0 {
				t.Errorf("uid %d in a namespace of its own, want 0", got.UID)
			}
			if got.DeathSignal != int(unix.SIGKILL) || !got.Group {
				t.Errorf("%+v, want SIGKILL at the parent's death and a process group", got)
			}
			if got.Name != os.Args[0] {
				t.Errorf("the child's own name is %q, want the parent's %q", got.Name, os.Args[0])
			}
		})
	}
}

func TestNoFileLimitsTheChildAndNotTheParent(t *testing.T) {
	var before, after unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &before); err != nil {
		t.Fatal(err)
	}
	for _, ns := range []netns.Namespaces{0, every} {
		got := run[self](t, netns.Spec{NoFile: 24, Namespaces: ns}, "self")
		if want := (unix.Rlimit{Cur: 24, Max: 24}); got.NoFile != want {
			t.Errorf("with namespaces %q: the child's limit is %+v, want %+v", ns, got.NoFile, want)
		}
		if got := run[string](t, netns.Spec{NoFile: 24, Namespaces: ns}, "exhaust"); got != unix.EMFILE.Error() {
			t.Errorf("with namespaces %q: a socket too many is %q, want %q", ns, got, unix.EMFILE)
		}
	}
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &after); err != nil {
		t.Fatal(err)
	}
	if before != after {
		t.Errorf("the parent's limit went from %+v to %+v", before, after)
	}
}

func childExhaust(*netns.Child, []string) (any, error) {
	for range 1000 {
		if _, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0); err != nil {
			return err.Error(), nil
		}
	}
	return "no limit", nil
}

func TestChildInheritsNoDescriptorButStdioAndTheResult(t *testing.T) {
	var leaky [2]int
	if err := unix.Pipe2(leaky[:], 0); err != nil { // without O_CLOEXEC, as from a careless shell
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(unix.Close(leaky[0]), unix.Close(leaky[1])); err != nil {
			t.Error(err)
		}
	})
	for _, ns := range []netns.Namespaces{0, every} {
		got := run[map[string]string](t, netns.Spec{Namespaces: ns}, "descriptors")
		if len(got) != 4 || got["0"] == "" || got["1"] == "" || got["2"] == "" || got["3"] == "" {
			t.Errorf("with namespaces %q: the child inherited %v, want 0 to 3", ns, got)
		}
	}
}

// childDescriptors lists those open that came through exec, and what they are.
func childDescriptors(*netns.Child, []string) (any, error) {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return nil, err
	}
	inherited := map[string]string{}
	for _, entry := range open {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			return nil, err
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue
		}
		if inherited[entry.Name()], err = os.Readlink("/proc/self/fd/" + entry.Name()); err != nil {
			return nil, err
		}
	}
	return inherited, nil
}

func TestEnterFailsInAProcessThatRunDidNotStart(t *testing.T) {
	out, err := exec.Command("/proc/self/exe", roleChild, "answer").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "descriptor 0 is no pipe from a parent") {
		t.Errorf("Enter in a process of its own: %v, %q", err, out)
	}
}

// Each step would change the machine if the child shared the namespace. The
// parent here has namespaces of its own, which stand for the machine's: were a
// step not refused, it would still do no harm.
func TestStepsRefuseToTouchTheMachine(t *testing.T) {
	rows := []struct {
		why, child string
		ns         netns.Namespaces
	}{
		{"no namespace of its own", "trespass", 0},
		{"only one that no step needs", "trespass", netns.PID},
		{"a Child that Enter did not make", "trespass-zero", every},
	}
	want := map[string]string{
		"loopback": "network", "sysctl": "network", "route": "network", "firewall": "network", "resolver": "mount",
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			h := runParent(t, "share-mounts", netns.Spec{Args: []string{roleChild, r.child}, Namespaces: r.ns})
			if h.Unavailable && mayLack(t, errors.New(h.Error)) {
				t.Skip(h.Error)
			}
			var got map[string]string
			if err := json.Unmarshal([]byte(h.Answer), &got); err != nil {
				t.Fatalf("%+v: %v", h, err)
			}
			for step, ns := range want {
				if text := "the " + ns + " namespace is not the child's own"; !strings.Contains(got[step], text) {
					t.Errorf("%s: %q, want %q", step, got[step], text)
				}
			}
			if len(h.NewMounts) != 0 {
				t.Errorf("the parent has new mounts: %q", h.NewMounts)
			}
		})
	}
}

func childTrespass(c *netns.Child, _ []string) (any, error) {
	return map[string]string{
		"loopback": fmt.Sprint(c.LoopbackUp()),
		"sysctl":   fmt.Sprint(c.Sysctl("net.ipv4.no_such_parameter", "1")),
		"route":    fmt.Sprint(c.AddRoute(netip.MustParsePrefix("192.0.2.255/32"), netns.Unreachable)),
		"firewall": fmt.Sprint(c.Firewall(context.Background(), "")),
		"resolver": fmt.Sprint(c.Resolver(netip.MustParseAddr("127.0.0.1"))),
	}, nil
}

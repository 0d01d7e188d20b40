package netns

import (
	"fmt"
	"strings"
)

// A Spec says what child process to run.
type Spec struct {
	// Args are the arguments after the program's own name. They must lead the
	// program to [Enter]; a test binary dispatches on them in TestMain.
	Args []string

	// Namespaces are those the child gets for itself; zero is none. With any
	// there is also PID, so that all its descendants end with it, and User
	// unless the parent is root with the right to make the others.
	Namespaces Namespaces

	// NoFile is the most descriptors that the child may have open
	// (RLIMIT_NOFILE, soft and hard), at least 16: stdio, the result and Go's
	// runtime take up to 8 of them, and the runtime crashes where it gets none.
	// Zero leaves the parent's limit. It holds from Enter on.
	NoFile uint64

	// Env is added to the parent's environment, each "NAME=value", of which
	// the variables that steer the system's resolver (resolv.conf(5),
	// hostname(7)) are left out.
	Env []string
}

// minNoFile is the lowest limit that a child can live with.
const minNoFile = 16

// Validate says what no child could be started with; [Run] asks it first.
func (s Spec) Validate() error {
	if s.NoFile > 0 && s.NoFile < minNoFile {
		return fmt.Errorf("a child cannot run with %d descriptors: want at least %d, or 0 for the parent's limit", s.NoFile, minNoFile)
	}
	return nil
}

// Namespaces is a set of Linux namespaces, namespaces(7).
type Namespaces uint8

// The namespaces that a child may get.
const (
	Mount   Namespaces = 1 << iota // what is mounted where
	PID                            // the process's descendants, of which it is the first
	Network                        // interfaces, addresses, routes, filter rules, ports; empty, and even lo is down
	User                           // user and group ids: the child is root, but only of its own namespaces
)

// String lists the set's names, "mount, network".
func (n Namespaces) String() string {
	var names []string
	for i, name := range []string{"mount", "pid", "network", "user"} {
		if n&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// A RouteKind is a route that leads nowhere, ip-route(8). Where there is no
// route at all, connect fails with ENETUNREACH; that needs no kind.
type RouteKind uint8

// The kinds, and what connect says of each at once on Linux.
const (
	Unreachable RouteKind = iota + 1 // EHOSTUNREACH
	Prohibit                         // EACCES
	Blackhole                        // EINVAL
)

// String is the kind as ip-route(8) writes it.
func (k RouteKind) String() string {
	if names := []string{Unreachable: "unreachable", Prohibit: "prohibit", Blackhole: "blackhole"}; k > 0 && int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("RouteKind(%d)", uint8(k))
}

// Unavailable is the error of a step that this machine does not allow or
// cannot do. What needed the step is to be skipped, with this as the reason.
type Unavailable struct {
	Step string // what was tried, for a sentence with "cannot"
	Err  error  // why it failed; only its text if it failed in the child
}

// Error is the step and its reason in one line.
func (u *Unavailable) Error() string { return "cannot " + u.Step + ": " + u.Err.Error() }

// Unwrap returns u.Err.
func (u *Unavailable) Unwrap() error { return u.Err }

// tried is err as the failure of a step, nil if there is none.
func tried(step string, err error) error {
	if err == nil {
		return nil
	}
	return &Unavailable{Step: step, Err: err}
}

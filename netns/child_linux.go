package netns

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// resultFD is where the child's answer goes; below it is stdio.
const resultFD = 3

// orphaned is the exit code of a child whose parent is gone; nobody reads it.
const orphaned = 1

// A Child is the child's side of [Run]: it answers, and changes the namespaces
// that are its own. Its methods are for one goroutine.
type Child struct {
	result *os.File
	parent map[string]string // the parent's namespaces, by their names in /proc/self/ns
}

// Enter makes this process the child that [Run] started. It must come before
// anything that opens a descriptor, looks up a name, or counts on a limit: it
// closes what was inherited beside stdio and the result, and waits until the
// parent has set the limits.
//
// From then on the process exits at once when its parent is gone.
//
// It fails in a process that Run did not start.
func Enter() (*Child, error) {
	for _, fd := range []int{0, resultFD} {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
			return nil, fmt.Errorf("enter a child process: descriptor %d is no pipe from a parent", fd)
		}
	}
	if err := closeInherited(); err != nil {
		return nil, tried("close inherited descriptors", err)
	}
	stdin := bufio.NewReader(os.Stdin) // its buffer bounds the greeting
	line, err := stdin.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("enter a child process: the parent's greeting: %w", err)
	}
	c := &Child{result: os.NewFile(resultFD, "result")}
	if err := json.Unmarshal(line, &c.parent); err != nil {
		return nil, fmt.Errorf("enter a child process: the parent's greeting: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, stdin) // an error is an end, too
		// Not the caller's to decide: what the process is for is gone, and
		// whatever hangs in it must not outlive its parent.
		unix.Exit(orphaned)
	}()
	return c, nil
}

// closeInherited closes the descriptors above the result that came through
// exec: those that would go through the next one, too. The runtime's own and
// all that Go opens are close-on-exec.
func closeInherited() error {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, entry := range open {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= resultFD {
			continue
		}
		// The descriptor that read the folder is gone by now.
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err != nil || flags&unix.FD_CLOEXEC != 0 {
			continue
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("descriptor %d: %w", fd, err)
		}
	}
	return nil
}

// Result is where the child's answer goes, at most 4 MiB in all. What [Run]
// returns is complete when the child has exited without an error.
func (c *Child) Result() io.WriteCloser { return c.result }

// Report hands a failed step to the parent, whose [Run] then fails with the
// same [Unavailable], whatever the exit code. It must come before any other
// answer. An err that wraps none is returned as it is, for the caller to print
// and exit by; so is one that could not be written, joined with the reason.
func (c *Child) Report(err error) error {
	unavailable, ok := errors.AsType[*Unavailable](err)
	if !ok {
		return err
	}
	if writeErr := writeReport(c.result, unavailable); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	return nil
}

// own fails unless the child has a namespace ns of its own: as root a step
// would change the machine.
func (c *Child) own(step string, ns Namespaces) error {
	links, err := namespaceLinks()
	if err != nil {
		return tried(step, err)
	}
	for _, k := range kinds {
		parent := c.parent[k.link]
		if k.ns == ns && (parent == "" || parent == links[k.link]) {
			return fmt.Errorf("refuse to %s: the %v namespace is not the child's own", step, ns)
		}
	}
	return nil
}

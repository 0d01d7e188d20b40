package netns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// kinds lists the namespaces with their names in /proc/self/ns and to clone(2).
var kinds = []struct {
	ns   Namespaces
	link string
	flag uintptr
}{
	{Mount, "mnt", unix.CLONE_NEWNS},
	{PID, "pid", unix.CLONE_NEWPID},
	{Network, "net", unix.CLONE_NEWNET},
	{User, "user", unix.CLONE_NEWUSER},
}

// start starts the child on the current thread; it then waits in [Enter].
func start(ctx context.Context, spec Spec) (*process, error) {
	var p *process
	var err error
	for _, ns := range attempts(spec.Namespaces, os.Geteuid()) {
		p, err = launch(ctx, spec, ns)
		if !errors.Is(err, unix.EPERM) {
			break
		}
	}
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return p, err
}

// attempts lists the sets of namespaces to try for the one that is wanted,
// while the answer is EPERM. Root makes the others without a user namespace,
// unless a container took that right away; an ordinary user never can.
func attempts(want Namespaces, euid int) []Namespaces {
	switch {
	case want == 0:
		return []Namespaces{0}
	case euid == 0 && want&User == 0:
		return []Namespaces{want | PID, want | PID | User}
	}
	return []Namespaces{want | PID | User}
}

// release limits the child's descriptors and tells it to go on: which
// namespaces are its parent's, so that it can keep its hands off them.
func (p *process) release(noFile uint64) error {
	if noFile > 0 {
		limit := &unix.Rlimit{Cur: noFile, Max: noFile}
		if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, limit, nil); err != nil {
			return tried("limit a child's descriptors", os.NewSyscallError("prlimit", err))
		}
	}
	links, err := namespaceLinks()
	if err != nil {
		return tried("read the process's own namespaces", err)
	}
	text, err := json.Marshal(links)
	if err != nil {
		return fmt.Errorf("greet a child: %w", err)
	}
	// A child that is gone already is not this write's to report.
	if _, err := p.stdin.Write(append(text, '\n')); err != nil && !errors.Is(err, unix.EPIPE) {
		return fmt.Errorf("greet a child: %w", err)
	}
	return nil
}

// namespaceLinks names the namespaces that the calling thread is in.
func namespaceLinks() (map[string]string, error) {
	links := map[string]string{}
	for _, k := range kinds {
		target, err := os.Readlink("/proc/thread-self/ns/" + k.link)
		if err != nil {
			return nil, err
		}
		links[k.link] = target
	}
	return links, nil
}

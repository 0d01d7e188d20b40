package netns

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// self is the running binary, also where its file has been replaced or lies
// in a folder that this user may not search.
const self = "/proc/self/exe"

// childMark is in the environment of every child. A program that does not
// know the child's arguments would run itself whole, and so start children
// without end.
const childMark = "RETRY_LAB_CHILD=1"

// resolverEnv are the variables by which glibc's resolver departs from its
// files, each with its "=".
var resolverEnv = []string{
	"LOCALDOMAIN=", "RES_OPTIONS=", "HOSTALIASES=", "RESOLV_HOST_CONF=",
	"RESOLV_MULTI=", "RESOLV_REORDER=", "RESOLV_ADD_TRIM_DOMAINS=", "RESOLV_OVERRIDE_TRIM_DOMAINS=",
}

// launch starts the child in the namespaces ns.
func launch(ctx context.Context, spec Spec, ns Namespaces) (*process, error) {
	cmd := exec.CommandContext(ctx, self, spec.Args...)
	env := cmd.Environ()
	if slices.Contains(env, childMark) {
		return nil, tried("start a child process", errors.New("a child may not run children ("+childMark+" is set): does the program dispatch on the child's arguments?"))
	}
	name, err := programName()
	if err != nil {
		return nil, tried("find the program's name", err)
	}
	cmd.Args[0] = name
	cmd.Env = slices.Concat(slices.DeleteFunc(env, steersResolver), spec.Env, []string{childMark})
	cmd.SysProcAttr = attributes(ns)
	cmd.WaitDelay = afterDeath

	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, tried("make a pipe to a child", err)
	}
	result, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(tried("make a pipe to a child", err), in.Close(), stdin.Close())
	}
	p := &process{cmd: cmd, stdin: stdin, result: result}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = in, &p.output, &p.output, []*os.File{out}
	startErr := cmd.Start()
	err = errors.Join(in.Close(), out.Close()) // only the child's copies remain
	if startErr != nil {
		return nil, errors.Join(tried(describe(ns), hint(ns, startErr)), err, p.close())
	}
	return p, err
}

// attributes are those of a child that dies with the calling thread, hears no
// Ctrl-C meant for its parent, and is root inside a user namespace of its own.
//
// Go follows PR_SET_PDEATHSIG with a look at getppid, to catch a parent that
// died in between. In a new PID namespace that is always 0 and Go kills pid 1,
// itself, which the kernel ignores: the end of stdin covers that moment.
func attributes(ns Namespaces) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL, Setpgid: true}
	for _, k := range kinds {
		if ns&k.ns != 0 {
			attr.Cloneflags |= k.flag
		}
	}
	if ns&User != 0 {
		attr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	return attr
}

// programName is what this process was started as: a program that looks at
// its own name must find the same in the child.
func programName() (string, error) {
	line, err := os.ReadFile("/proc/self/cmdline")
	if err != nil {
		return "", err
	}
	name, _, _ := bytes.Cut(line, []byte{0})
	return string(name), nil
}

// steersResolver reports whether v is one of resolverEnv.
func steersResolver(v string) bool {
	return slices.ContainsFunc(resolverEnv, func(name string) bool { return strings.HasPrefix(v, name) })
}

// describe is the step of starting a child in ns.
func describe(ns Namespaces) string {
	if ns == 0 {
		return "start a child process"
	}
	return fmt.Sprintf("start a child process with its own namespaces (%v)", ns)
}

// hint adds to err what its text does not say when namespaces are refused.
func hint(ns Namespaces, err error) error {
	switch {
	case ns == 0:
	case errors.Is(err, unix.ENOSPC):
		return fmt.Errorf("%w (the limit in /proc/sys/user is reached)", err)
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return fmt.Errorf("%w (namespaces are forbidden here)", err)
	}
	return err
}

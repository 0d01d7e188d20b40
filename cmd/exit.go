package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK          = 0
	exitDiffers     = 1 // drift, an unsound verdict, a line that could not be answered
	exitUsage       = 2
	exitBroken      = 3   // the lab itself could not run
	exitInterrupted = 130 // 128 + SIGINT
	exitClosedPipe  = 141 // 128 + SIGPIPE
)

// A verdict is an exit code that needs no message: the results say it.
type verdict int

func (v verdict) Error() string { return "exit code " + strconv.Itoa(int(v)) }

// verdictError returns nil for exitOK.
func verdictError(code int) error {
	if code == exitOK {
		return nil
	}
	return verdict(code)
}

// A failure is an error with its exit code and what to do about it.
type failure struct {
	code int
	err  error
	hint string // empty: none
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// usageError is a mistake of whoever typed the command.
func usageError(hint, format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...), hint}
}

// brokenError is a lab that cannot run.
func brokenError(hint string, err error) error { return &failure{exitBroken, err, hint} }

// exitCode reports err, once, and returns the code of the process.
func (a *app) exitCode(ctx context.Context, c *cobra.Command, err error) int {
	switch {
	case ctx.Err() != nil:
		a.say("interrupted", "")
		return exitInterrupted
	case errors.Is(a.stdout.err, syscall.EPIPE):
		return exitClosedPipe
	case a.stdout.err != nil:
		a.say("cannot write the results: "+cause(a.stdout.err).Error(), "is the disk full?")
		return exitBroken
	case err == nil:
		return exitOK
	}
	if v, ok := errors.AsType[verdict](err); ok {
		return int(v)
	}
	f, ok := errors.AsType[*failure](err)
	switch {
	case ok:
	case !a.started: // cobra's own: flags and arguments
		f = &failure{exitUsage, err, "see '" + c.CommandPath() + " --help'"}
	default:
		f = &failure{exitBroken, err, hintFor(err)}
	}
	a.say(f.Error(), f.hint)
	return f.code
}

// say prints one line to stderr. Nobody is left to tell if that fails.
func (a *app) say(message, hint string) {
	line := "retry-lab: " + safe(strings.TrimSpace(message))
	if hint != "" {
		line += " (" + safe(hint) + ")"
	}
	fmt.Fprintln(a.stderr, line)
}

// cause is what the system said, without the name that package os gave the file.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// hintFor says what to do about a lab that cannot run.
func hintFor(err error) string {
	for _, h := range []struct {
		errno syscall.Errno
		hint  string
	}{
		{syscall.EMFILE, "raise the limit of open files, or run fewer cases at once with -j"},
		{syscall.ENFILE, "the machine has too many files open; run fewer cases at once with -j"},
		{syscall.EADDRINUSE, "another program has the address"},
		{syscall.EADDRNOTAVAIL, "the lab needs the loopback interface, 127.0.0.1"},
		{syscall.ENETUNREACH, "the lab needs the loopback interface, 127.0.0.1"},
		{syscall.EACCES, "the lab needs to listen and connect on 127.0.0.1"},
		{syscall.EPERM, "the lab needs to listen and connect on 127.0.0.1"},
		{syscall.ENOSPC, "is the disk full?"},
	} {
		if errors.Is(err, h.errno) {
			return h.hint
		}
	}
	return "the lab needs to listen and connect on 127.0.0.1; see 'retry-lab list' for what each case needs"
}

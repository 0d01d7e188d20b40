package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
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
	case ctx.Err() != nil && !a.serving.Load():
		a.sayInterrupted()
		return exitInterrupted
	case errors.Is(a.stdout.err, syscall.EPIPE):
		return exitClosedPipe
	case a.stdout.err != nil:
		a.say("cannot write the results: "+cause(a.stdout.err).Error(), hintAmong(writeHints(), a.stdout.err))
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

// sayInterrupted says so once, whoever notices it first.
func (a *app) sayInterrupted() { a.interrupted.Do(func() { a.say("interrupted", "") }) }

// say prints one line to stderr. Nobody is left to tell if that fails.
func (a *app) say(message, hint string) {
	line := "retry-lab: " + brief(safe(strings.TrimSpace(message)))
	if hint != "" {
		line += " (" + brief(safe(hint)) + ")"
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

// An errnoHint is what to do about an errno.
type errnoHint struct {
	errno syscall.Errno
	text  string
}

// hintAmong finds the hint for err; empty where there is none.
func hintAmong(hints []errnoHint, err error) string {
	for _, h := range hints {
		if errors.Is(err, h.errno) {
			return h.text
		}
	}
	return ""
}

func writeHints() []errnoHint {
	return []errnoHint{
		{syscall.ENOSPC, "is the disk full?"},
		{syscall.EDQUOT, "is the disk full?"},
		{syscall.EBADF, "stdout is not open for writing"},
	}
}

// hintFor says what to do about a lab that cannot run.
func hintFor(err error) string {
	const loopback = "the lab needs the loopback interface, 127.0.0.1"
	const listen = "the lab needs to listen and connect on 127.0.0.1"
	const ports = "no local port is free; wait for other programs, or widen the range of local ports"
	inUse := "another program has the address"
	if anyPort(err) {
		inUse = ports
	}
	return cmp.Or(hintAmong([]errnoHint{
		{syscall.EMFILE, "raise the limit of open files, or run fewer cases at once with -j"},
		{syscall.ENFILE, "the machine has too many files open; run fewer cases at once with -j"},
		{syscall.EADDRINUSE, inUse},
		{syscall.EADDRNOTAVAIL, loopback + ", and free local ports"},
		{syscall.ENETUNREACH, loopback},
		{syscall.EACCES, listen},
		{syscall.EPERM, listen},
		{syscall.ENOSPC, "is the disk full?"},
	}, err), listen+"; see 'retry-lab list' for what each case needs")
}

// anyPort: no address was asked for that another program could have. Linux says
// EADDRINUSE too where no local port is left.
func anyPort(err error) bool {
	e, ok := errors.AsType[*net.OpError](err)
	if !ok {
		return false
	}
	switch at := e.Addr.(type) {
	case *net.TCPAddr:
		return at.Port == 0
	case *net.UDPAddr:
		return at.Port == 0
	}
	return false
}

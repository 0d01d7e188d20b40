package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// exitOf is a process's exit code.
func exitOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

func TestAClosedStdoutIsSilentAndExit141(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a closed pipe has another error there, which has not been tried")
	}
	for _, args := range []string{"list", "version", "--help", "run status/200", "run status/200 -o json", "classify --status 503", "completion bash", "serve", "serve --env", "serve -o json", "audit list", "audit --cases control/ok -- true"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			code, stderr := intoClosedPipe(t, "", args)
			// That a table is missing is known before the pipe is found closed.
			said := strings.ReplaceAll(stderr, "retry-lab: warning:", "")
			if code != exitClosedPipe || strings.Contains(said, "retry-lab:") {
				t.Errorf("exit %d, stderr %q; want 141 and silence", code, stderr)
			}
		})
	}
}

// intoClosedPipe runs the program with a stdout whose reader has left, as head
// does when it has enough.
func intoClosedPipe(t *testing.T, stdin, args string) (code int, stderr string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	c := exec.CommandContext(t.Context(), "retry-lab", strings.Fields(args)...)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), w, &said
	return exitOf(t, c.Run()), said.String()
}

func TestAFullDiskIsOneLineAndExit3(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("needs /dev/full: %v", err)
	}
	defer full.Close()
	for _, args := range []string{"list", "version", "--help", "classify --status 503", "serve"} {
		var stderr bytes.Buffer
		c := exec.CommandContext(t.Context(), "retry-lab", strings.Fields(args)...)
		c.Stdout, c.Stderr = full, &stderr
		want := "retry-lab: cannot write the results: no space left on device (is the disk full?)\n"
		if code := exitOf(t, c.Run()); code != exitBroken || stderr.String() != want {
			t.Errorf("%s: exit %d, stderr %q; want 3, %q", args, code, stderr.String(), want)
		}
	}
}

// An interrupted run leaves nothing: it is one process, which is gone. That it
// does not wait for its cases is a matter of virtual time, in progress_test.go.
func TestAnInterruptDuringARunExits130(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("finds the listening socket of a run in /proc")
	}
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			// So many runs take ten minutes, however slow this machine is to notice
			// that the first has begun.
			c := exec.CommandContext(t.Context(), "retry-lab", "golden", "diff", "charge/bare", "--runs", "1000")
			c.Stdout, c.Stderr = &stdout, &stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if err := awaitListening(t.Context(), c.Process.Pid); err != nil {
				t.Error(err, c.Cancel(), c.Wait())
				return
			}
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			sent := time.Now()
			code := exitOf(t, c.Wait())
			t.Logf("exited after %v", time.Since(sent))
			if code != exitInterrupted || stdout.Len() > 0 || !strings.HasSuffix(stderr.String(), "retry-lab: interrupted\n") {
				t.Errorf("exit %d, stdout %q, stderr %q; want 130, nothing and interrupted", code, stdout.String(), stderr.String())
			}
		})
	}
}

// awaitListening returns when the process has a listening TCP socket.
func awaitListening(ctx context.Context, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for !listening(pid) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("the run never listened: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

func listening(pid int) bool {
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return false
	}
	inodes := map[string]bool{}
	for line := range strings.Lines(string(table)) {
		const state, listen, inode = 3, "0A", 9
		if f := strings.Fields(line); len(f) > inode && f[state] == listen {
			inodes["socket:["+f[inode]+"]"] = true
		}
	}
	links, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*")
	if err != nil {
		return false
	}
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil && inodes[to] {
			return true
		}
	}
	return false
}

func TestAnInterruptEndsAReadOfStdin(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	c := exec.CommandContext(t.Context(), "retry-lab", "classify", "-o", "json")
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var stderr bytes.Buffer
	c.Stdout, c.Stderr = w, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, `{"status":503}`+"\n"); err != nil {
		t.Fatal(err)
	}
	// The answer comes while stdin is still open: whoever asks line by line is
	// answered line by line.
	answer := make([]byte, 1)
	if _, err := io.ReadFull(r, answer); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, r) // the rest, until the process has ended
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Skipf("this system cannot interrupt a process: %v", err)
	}
	if code := exitOf(t, c.Wait()); code != exitInterrupted || stderr.String() != "retry-lab: interrupted\n" {
		t.Errorf("exit %d, stderr %q; want 130, and one line that says so", code, stderr.String())
	}
}

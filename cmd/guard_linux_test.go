package cmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Whatever is killed, and however: no process of the audited command survives,
// be it a daemon in a session of its own without an environment.
func TestNothingOfAnAuditSurvivesIt(t *testing.T) {
	t.Parallel()
	type target int
	const (
		guard target = iota
		worker
		both // the guard's process group
	)
	rows := []struct {
		name   string
		target target
		signal syscall.Signal
		code   int // -1: killed
	}{
		{"interrupt", guard, syscall.SIGINT, exitInterrupted},
		{"interrupt the group", both, syscall.SIGINT, exitInterrupted},
		{"terminate", guard, syscall.SIGTERM, exitInterrupted},
		{"hang up", both, syscall.SIGHUP, -1},
		{"kill", guard, syscall.SIGKILL, -1},
		{"kill the group", both, syscall.SIGKILL, -1},
		{"kill the worker", worker, syscall.SIGKILL, 128 + 9},
	}
	for n, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			word := fmt.Sprintf("86%d%d.25", n, os.Getpid()) // seconds, a number to find it by
			script := "env -i setsid sleep " + word + " >/dev/null 2>&1 </dev/null & setsid sleep " + word + " & sleep " + word
			t.Cleanup(func() {
				for _, pid := range sleepers(t, word) { // of a test that failed
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			})
			var stderr bytes.Buffer
			c := exec.Command("retry-lab", "audit", "--cases", "control/ok", "--", "sh", "-c", script)
			c.Stderr = &stderr
			c.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
			c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, func() bool { return len(sleepers(t, word)) == 3 }, "three processes of the command")
			pid := c.Process.Pid
			switch row.target {
			case worker:
				pid = onlyChild(t, pid)
			case both:
				pid = -pid
			}
			if err := syscall.Kill(pid, row.signal); err != nil {
				t.Fatal(err)
			}
			if code := exitOf(t, c.Wait()); code != row.code {
				t.Errorf("exit code %d, want %d; stderr %q", code, row.code, &stderr)
			}
			await(t, func() bool { return len(sleepers(t, word)) == 0 }, "their end")
		})
	}
}

// await polls until done, for something that tells nobody.
func await(t *testing.T, done func() bool, what string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(time.Minute); !done(); {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// sleepers lists the sleep(1)s with that argument.
func sleepers(t *testing.T, word string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil || string(text) != "sleep\x00"+word+"\x00" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, pid)
	}
	return list
}

// onlyChild is the one process that pid started.
func onlyChild(t *testing.T, pid int) int {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text += string(b)
	}
	child, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatalf("children %q: %v", text, err)
	}
	return child
}

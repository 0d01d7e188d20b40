package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
)

func TestAuditWhereTheMachineIsPoor(t *testing.T) {
	t.Parallel()
	nobody := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	rows := []struct {
		name, script string
		attr         *syscall.SysProcAttr
		code         int
		stdout       string // its first line begins with it
		stderr       string // a part of it
	}{
		{"all is well", "exec retry-lab audit --cases control/ok -- ask-once", nil, exitOK, "audit of ask-once: 4 pass, in ", ""},
		{"no stdin, and no session", "exec setsid -w retry-lab audit --cases control/ok -- ask-once <&-", nil, exitOK, "audit of ask-once: 4 pass, in ", ""},
		{"few open files", "ulimit -n 40; exec retry-lab audit --cases status -- ask-once", nil, exitOK, "audit of ask-once: 2 weak, 4 pass, 12 vacuous, in ", ""},
		{"another user", "PATH=" + openPrograms(t) + "; exec retry-lab audit --cases control/ok -- ask-once", nobody, exitOK, "audit of ask-once: 4 pass, in ", ""},
		{"no folder for files", "TMPDIR=/nonexistent exec retry-lab audit -- ask-once", nil, exitBroken, "", "in TMPDIR)"},
		{"no such command", "exec retry-lab audit -- no-such-command-of-ours", nil, exitBroken, "audit of no-such-command-of-ours: nothing could be asked", "no such program"},
		{"an unknown placeholder", "exec retry-lab audit -- ask-once {uri}", nil, exitUsage, "", "unknown placeholder {uri} (the placeholders are {url} {method} "},
		{"nothing is requested", "exec retry-lab audit -- true", nil, exitBroken, "audit of true: nothing could be asked", "never requested the URL, exit code 0"},
		{"a long command", "exec retry-lab audit --cases control/ok -- ask-once $(printf '%099999d' 0)", nil, exitOK, "audit of ask-once: 4 pass, in ", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if row.attr != nil && os.Getuid() != 0 {
				t.Skip("only root can become another user")
			}
			var stdout, stderr bytes.Buffer
			c := exec.Command("sh", "-c", row.script)
			c.Stdout, c.Stderr, c.SysProcAttr = &stdout, &stderr, row.attr
			code := exitOf(t, c.Run())
			if code != row.code || !strings.HasPrefix(stdout.String(), row.stdout) || !strings.Contains(stderr.String(), row.stderr) {
				t.Errorf("exit %d, stdout %.300q, stderr %.300q; want %d, %q, %q", code, &stdout, &stderr, row.code, row.stdout, row.stderr)
			}
			if stdout.Len() > 10_000 || strings.ContainsAny(stdout.String(), "\x1b\x00") || !utf8.Valid(stdout.Bytes()) {
				t.Errorf("%d bytes are printed, or some of them raw: %.300q", stdout.Len(), &stdout)
			}
		})
	}
}

// openPrograms is a folder with the programs of this test for every user.
func openPrograms(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "retry-lab-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"retry-lab", "ask-once"} {
		// Written by another process: what this one has open for writing, a
		// child that is started meanwhile has too, and then it cannot be run.
		if out, err := exec.Command("cp", self, filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

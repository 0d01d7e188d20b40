//go:build linux

package netns_test

import (
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"
)

// nobody is a user that has no rights, and whom no file belongs to.
const nobody = 65534

// Every test of this package once more, by an ordinary user.
func TestAsAnOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user; the tests run as an ordinary user already")
	}
	t.Parallel()
	tmp, err := os.MkdirTemp("", "netns-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(tmp); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chown(tmp, nobody, nobody); err != nil {
		if mayLack(t, err) {
			t.Skip(err) // there is no other user in this user namespace
		}
		t.Fatal(err)
	}
	args := []string{"-test.v", "-test.skip=^TestAsAnOrdinaryUser$", "-test.count=1"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", args...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp, "GOCOVERDIR="+tmp)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the tests as an ordinary user: %v\n%s", err, out)
	}
	for _, line := range regexp.MustCompile(`(?m)^.*(--- SKIP|cannot |took ).*$`).FindAllString(string(out), -1) {
		t.Log(line)
	}
	if !regexp.MustCompile(`(?m)^PASS$`).Match(out) {
		t.Errorf("no PASS in\n%s", out)
	}
}

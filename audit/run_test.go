//go:build linux

package audit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sleepForDaemon is how long the daemons of this test process sleep, in
// seconds: a number by which they are found.
var sleepForDaemon = "86399.5"

func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// auditOf audits one of the test's clients.
func auditOf(t *testing.T, client string, cases ...string) Report {
	t.Helper()
	return auditWith(t, Options{Quick: true, Cases: cases}, client)
}

func auditWith(t *testing.T, o Options, client string) Report {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Command, o.Environ = []string{self, roleClient, client}, os.Environ()
	rep, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// verdictOf is the result of a case.
func verdictOf(t *testing.T, rep Report, id string) Result {
	t.Helper()
	i := slices.IndexFunc(rep.Cases, func(r Result) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("no case %s in %d", id, len(rep.Cases))
	}
	return rep.Cases[i]
}

func TestClientsThatDoOneThingWrong(t *testing.T) {
	rows := []struct {
		client, id string
		want       Verdict
		observed   string // a part of it
	}{
		{"once", "status/post-500", Vacuous, "1 delivery, committed once"},
		{"once", "safe/get-truncated", Weak, "not fetched again"},
		{"resends", "status/post-500", Danger, "committed twice in 2 deliveries (1 retried by policy)"},
		{"resends", "unknown/charge-bare", Danger, "committed twice"},
		{"resends", "wait/seconds", Harm, "before the server's wait was over"},
		{"resends", "safe/get-reset", Pass, "fetched again"},
		{"resends", "safe/h2-goaway-above", Pass, "sent again"},
		{"resends", "replay/h2-goaway-always", Harm, "no bound"},
		{"new key", "unknown/charge-keyed", Danger, "Idempotency-Key"},
		{"says success", "status/permanent-400", Vacuous, "exit code 0"},
		{"leaves a daemon", "status/post-500", Vacuous, "1 delivery"},
		{"leaves a daemon without an environment", "status/post-500", Vacuous, "1 delivery"},
		{"closes its pipes", "status/post-500", Vacuous, "1 delivery"},
	}
	for _, row := range rows {
		t.Run(row.client+": "+row.id, func(t *testing.T) {
			got := verdictOf(t, auditOf(t, row.client, row.id), row.id)
			if got.Verdict != row.want || !strings.Contains(got.Observed, row.observed) {
				t.Errorf("%s: %q, want %s: %q", got.Verdict, got.Observed, row.want, row.observed)
			}
		})
	}
	if left := processes(t, sleepForDaemon); len(left) > 0 {
		t.Errorf("daemons are left: %v", left)
	}
}

// In a network of their own where that is allowed, and without.
func TestCasesOfTheNetwork(t *testing.T) {
	both, own := []bool{false, true}, []bool{false} // without one, no resolver is asked, and who hurries gives up too soon
	rows := []struct {
		client, id string
		want       Verdict
		noNetns    []bool
	}{
		{"once", "safe/refused-then-up-get", Weak, both},
		{"resends", "safe/refused-then-up-post", Pass, own},
		{"resends", "safe/post-connect-timeout", Pass, both},
		{"once", "dns/nxdomain", Pass, own},
		{"resends", "dns/nxdomain", Harm, own},
	}
	for _, row := range rows {
		for _, noNetns := range row.noNetns {
			t.Run(row.client+": "+row.id+": without "+strconv.FormatBool(noNetns), func(t *testing.T) {
				got := verdictOf(t, auditWith(t, Options{Quick: true, NoNetns: noNetns, Cases: []string{row.id}}, row.client), row.id)
				if got.Verdict != row.want {
					t.Errorf("%s: %q, want %s", got.Verdict, got.Observed, row.want)
				}
			})
		}
	}
}

func TestACommandWithoutADeliveryIsNotUsable(t *testing.T) {
	for _, client := range []string{"exits", "ignores the url"} {
		t.Run(client, func(t *testing.T) {
			rep := auditOf(t, client, "status/post-500")
			if rep.Usable || !strings.Contains(strings.Join(rep.Notes, ""), "never requested the URL") {
				t.Errorf("usable %v, notes %q", rep.Usable, rep.Notes)
			}
			for _, c := range rep.Cases {
				if c.Verdict != NA {
					t.Errorf("%s is %s", c.ID, c.Verdict)
				}
			}
		})
	}
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"plain": 0o644, "not a program": 0o755} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for command, why := range map[string]string{
		"no-such-command-of-ours": "no such program", "": "no such program", dir: "a folder is no program",
		filepath.Join(dir, "plain"):         "not executable",
		filepath.Join(dir, "not a program"): "the command cannot be started: exec format error",
	} {
		rep, err := Run(t.Context(), Options{Command: []string{command}, Environ: os.Environ()})
		if err != nil || rep.Usable || !strings.Contains(strings.Join(rep.Notes, ""), why) {
			t.Errorf("command %q: usable %v, notes %q, %v, want %q", command, rep.Usable, rep.Notes, err, why)
		}
	}
}

func TestUnknownWordsAreErrors(t *testing.T) {
	_, err := Run(t.Context(), Options{Command: []string{"curl", "{uri}", `{"a":1}`, "{a,b}", "{}"}})
	if e, ok := errors.AsType[*UnknownPlaceholderError](err); !ok || !slices.Equal(e.Unknown, []string{"{uri}"}) {
		t.Errorf("error %v", err)
	}
	_, err = Run(t.Context(), Options{Command: []string{"curl"}, Cases: []string{"status/*", "nothing/*"}})
	if e, ok := errors.AsType[*UnknownCaseError](err); !ok || e.Glob != "nothing/*" {
		t.Errorf("error %v", err)
	}
}

// What is still alive at the cut is killed, whatever it ignores.
func TestTheCut(t *testing.T) {
	for _, client := range []string{"sleeps", "ignores SIGTERM"} {
		t.Run(client, func(t *testing.T) {
			l := testLab(t, client)
			l.cut = 300 * time.Millisecond
			o := l.once(t.Context(), caseOf(Cases(), "wait/huge"), 0, func() {})
			if o.Broken != "" || !o.Cut || !o.Asleep || o.Exited || o.Deliveries != 1 {
				t.Errorf("observation %+v", o)
			}
		})
	}
}

func TestOutputIsBounded(t *testing.T) {
	l := testLab(t, "prints without end")
	o := l.once(t.Context(), caseOf(Cases(), "control/ok"), 0, func() {})
	if o.Broken != "" || !o.Flooded || o.Printed <= flood || len(o.Output) > 3*keptOutput {
		t.Errorf("flooded %v after %d bytes, kept %d, broken %q", o.Flooded, o.Printed, len(o.Output), o.Broken)
	}
}

// A delivery of a process that left the group is counted: the run ends with the
// command, or later, and the ledger is read after the kill.
func TestADaemonDoesNotSendUnseen(t *testing.T) {
	l := testLab(t, "daemon sends later")
	o := l.once(t.Context(), caseOf(Cases(), "status/post-500"), 0, func() {})
	if o.Broken != "" || o.Deliveries != 1 {
		t.Errorf("%d deliveries, broken %q: want the daemon dead before it could send", o.Deliveries, o.Broken)
	}
}

func TestSecretsAndControlCharacters(t *testing.T) {
	rep := auditOf(t, "escapes and secrets", "status/post-500")
	for _, c := range rep.Cases {
		if strings.Contains(c.Printed, "s3cret") {
			t.Errorf("%s shows a secret: %q", c.ID, c.Printed)
		}
	}
	if got := mask(`-H "Authorization: Bearer x" Cookie: a`); strings.Contains(got, "Bearer") || strings.Contains(got, ": a") {
		t.Errorf("mask = %q", got)
	}
}

func TestInterruptLeavesNoProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	var once bool
	go func() {
		_, err := Run(ctx, Options{Command: []string{self, roleClient, "leaves a daemon without an environment"}, Environ: os.Environ(),
			Progress: func(done, of int) {
				if !once && done > 3 {
					once = true
					cancel()
				}
			}})
		ended <- err
	}()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for _, word := range []string{sleepForDaemon, roleClient + "\x00leaves"} {
		if left := processes(t, word); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
	}
}

func TestPersistent(t *testing.T) {
	rep := auditWith(t, Options{Quick: true, Persistent: true, Cases: []string{"status/post-500", "safe/get-reset"}}, "persistent")
	if got := verdictOf(t, rep, "safe/get-reset"); !rep.Usable || got.Verdict != Weak {
		t.Errorf("usable %v, notes %q, safe/get-reset %s: %s", rep.Usable, rep.Notes, got.Verdict, got.Observed)
	}
	rep = auditWith(t, Options{Quick: true, Persistent: true, Cases: []string{"status/post-500"}}, "persistent dies")
	if rep.Usable {
		t.Error("a command that dies at its first order is usable")
	}
	rep = auditWith(t, Options{Quick: true, Persistent: true, Cases: []string{"status/post-500"}}, "once")
	if rep.Usable || !strings.Contains(strings.Join(rep.Notes, ""), "READY") {
		t.Errorf("a command that does not print READY: usable %v, notes %q", rep.Usable, rep.Notes)
	}
}

// testLab is the lab of an audit of a client.
func testLab(t testing.TB, client string) *lab {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLab(Options{Command: []string{self, roleClient, client}, Environ: os.Environ(), Quick: true}, self)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// processes lists those whose command line has word.
func processes(t *testing.T, word string) []int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && strings.Contains(string(text), word) {
			list = append(list, pid)
		}
	}
	return list
}

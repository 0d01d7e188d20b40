//go:build linux

package netns_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// The two roles, beside the tests, that this binary is started in again.
const (
	roleChild  = "child"  // what Run starts: the name of a child function, its arguments
	roleParent = "parent" // a process that only calls Run: an errand in JSON
)

// A childFunc does a child's work and returns what to answer, as JSON.
type childFunc func(c *netns.Child, args []string) (any, error)

// The signal at a parent's death is kept by each thread for itself, and Run set
// that of the child's first: a child's work is done there. Only init can tell.
func init() { runtime.LockOSThread() }

func TestMain(m *testing.M) {
	began := monotonic()
	if len(os.Args) < 3 || os.Args[1] != roleChild && os.Args[1] != roleParent {
		// Built with the race detector, every child would end with a second's sleep.
		if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
			panic(err)
		}
		runtime.UnlockOSThread()
		goleak.VerifyTestMain(m)
		return
	}
	var err error
	switch os.Args[1] {
	case roleChild:
		err = beChild(began, os.Args[2], os.Args[3:])
	case roleParent:
		err = beParent(os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// children are the child functions by name, those that enter.
var children = map[string]childFunc{
	"answer":        func(_ *netns.Child, args []string) (any, error) { return args, nil },
	"fail":          func(*netns.Child, []string) (any, error) { return nil, errors.New("no luck\x1b[31m\n") },
	"step-fails":    func(*netns.Child, []string) (any, error) { return nil, failedStep() },
	"environment":   func(*netns.Child, []string) (any, error) { return os.Environ(), nil },
	"self":          childSelf,
	"descriptors":   childDescriptors,
	"exhaust":       childExhaust,
	"run-again":     childRunAgain,
	"load-rules":    childLoadRules,
	"garble":        childGarble,
	"hang":          childHang,
	"hang-family":   childHangFamily,
	"hang-immune":   childHangImmune,
	"wait-file":     childWaitFile,
	"print":         childPrint,
	"flood":         childFlood,
	"trespass":      childTrespass,
	"trespass-zero": func(_ *netns.Child, args []string) (any, error) { return childTrespass(new(netns.Child), args) },
	"loopback":      childLoopback,
	"sysctl":        childSysctl,
	"routes":        childRoutes,
	"resolver":      childResolver,
	"refused":       childRefused,
	"timed-out":     childTimedOut,
	"no-nft":        childNoNFT,
	"bad-rules":     childBadRules,
}

// strangers are children that never enter.
var strangers = map[string]func(args []string) error{
	"stranger":       func([]string) error { return nil },
	"hang-stranger":  func(args []string) error { return errors.Join(touch(args[0]), forever()) },
	"crash-stranger": func([]string) error { panic("lost") },
}

// beChild is the whole of a child process that began at the time began.
func beChild(began int64, name string, args []string) error {
	if f, ok := strangers[name]; ok {
		return f(args)
	}
	c, err := netns.Enter()
	if err != nil {
		return err
	}
	if name == "clock" {
		return json.NewEncoder(c.Result()).Encode(began)
	}
	answer, err := children[name](c, args)
	if err != nil {
		return c.Report(fmt.Errorf("%s: %w", name, err))
	}
	return json.NewEncoder(c.Result()).Encode(answer)
}

// failedStep is a step's failure as the package's own steps return it.
func failedStep() error {
	return &netns.Unavailable{Step: "do the impossible", Err: unix.ENOSYS}
}

// run runs a child and decodes its answer. Where the machine does not allow
// what it takes, the test is skipped with the reason; root is allowed all.
func run[T any](t testing.TB, spec netns.Spec, args ...string) T {
	t.Helper()
	spec.Args = append([]string{roleChild}, args...)
	answer, err := netns.Run(t.Context(), spec)
	if _, ok := errors.AsType[*netns.Unavailable](err); ok && mayLack(t, err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("Run(%+v): %v", spec, err)
	}
	var v T
	if err := json.Unmarshal(answer, &v); err != nil {
		t.Fatalf("Run(%+v) = %q: %v", spec, answer, err)
	}
	return v
}

// mayLack reports whether the failed step of err is the machine's to refuse.
// For root with all rights, in no container, it is not, unless a program is
// not installed: there a step that fails is a broken one.
func mayLack(t testing.TB, err error) bool {
	t.Helper()
	if strings.Contains(err.Error(), "executable file not found") && !exists("/usr/sbin/nft") && !exists("/sbin/nft") {
		return true
	}
	uids, readErr := os.ReadFile("/proc/self/uid_map")
	if readErr != nil {
		t.Fatal(readErr)
	}
	if fields := strings.Fields(string(uids)); len(fields) != 3 || fields[2] != "4294967295" {
		return true // root of a user namespace only
	}
	status, readErr := os.ReadFile("/proc/self/status")
	if readErr != nil {
		t.Fatal(readErr)
	}
	var rights uint64
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "CapEff:"); ok {
			if _, err := fmt.Sscanf(text, "%x", &rights); err != nil {
				t.Fatal(err)
			}
		}
	}
	needed := uint64(1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN)
	return rights&needed != needed
}

// within waits until ok holds; it fails the test if that takes absurdly long.
func within(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// exists reports whether there is a file of that name.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// touch makes an empty file of that name.
func touch(name string) error { return os.WriteFile(name, nil, 0o600) }

// sign is the name of a file, not there yet, by which a child says something.
func sign(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "sign")
}

// monotonic is the machine's clock, which all its processes share, in ns.
func monotonic() int64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	return now.Nano()
}

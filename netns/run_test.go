//go:build linux

package netns_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"golang.org/x/sys/unix"
)

// every is all namespaces that root need not have the user's for.
const every = netns.Mount | netns.PID | netns.Network

func TestRunReturnsWhatTheChildAnswers(t *testing.T) {
	rows := []struct {
		why  string
		spec netns.Spec
	}{
		{"a plain child", netns.Spec{}},
		{"with few descriptors", netns.Spec{NoFile: 32}},
		{"in namespaces of its own", netns.Spec{Namespaces: every}},
		{"in those and a user namespace, as an ordinary user gets them", netns.Spec{Namespaces: every | netns.User}},
		{"in one namespace", netns.Spec{Namespaces: netns.Network}},
		{"in namespaces, with few descriptors", netns.Spec{Namespaces: every, NoFile: 32}},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			t.Parallel()
			want := []string{"an argument", "", "a\nthird"}
			if got := run[[]string](t, r.spec, append([]string{"answer"}, want...)...); !slices.Equal(got, want) {
				t.Errorf("Run(%+v) = %q, want %q", r.spec, got, want)
			}
		})
	}
}

func TestRunNamesAStepThatFailedInTheChild(t *testing.T) {
	answer, err := netns.Run(t.Context(), netns.Spec{Args: []string{roleChild, "step-fails"}})
	got, ok := errors.AsType[*netns.Unavailable](err)
	if !ok || got.Step != "do the impossible" || got.Err.Error() != unix.ENOSYS.Error() {
		t.Errorf("Run = %q, %v, want an Unavailable of the same step and reason", answer, err)
	}
}

func TestRunDoesNotTrustAReport(t *testing.T) {
	answer, err := netns.Run(t.Context(), netns.Spec{Args: []string{roleChild, "garble"}})
	if _, ok := errors.AsType[*netns.Unavailable](err); ok || err == nil || !strings.Contains(err.Error(), "read the child's report: ") {
		t.Errorf("Run of a child with a broken report = %q, %v, want an error that is no reason to skip", answer, err)
	}
}

func childGarble(c *netns.Child, _ []string) (any, error) {
	_, err := io.WriteString(c.Result(), "netns: unavailable {")
	return nil, err
}

func TestRunSaysHowAChildFailed(t *testing.T) {
	rows := []struct{ why, child, want string }{
		{"what it printed is escaped, on one line", "fail", `exit status 1, having printed "fail: no luck\x1b[31m\n\n"`},
		{"a crash", "crash-stranger", "exit status 2, having printed \"panic: lost"},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			answer, err := netns.Run(t.Context(), netns.Spec{Args: []string{roleChild, r.child}})
			if err == nil || !strings.Contains(err.Error(), r.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Run = %q, %v, want one line with %s", answer, err, r.want)
			}
			if _, ok := errors.AsType[*netns.Unavailable](err); ok {
				t.Errorf("Run = %v: a child that fails is no missing feature", err)
			}
		})
	}
}

func TestRunOfAChildThatNeverEntersEndsWithIt(t *testing.T) {
	answer, err := netns.Run(t.Context(), netns.Spec{Args: []string{roleChild, "stranger"}, NoFile: 32})
	if len(answer) != 0 || err != nil {
		t.Errorf("Run = %q, %v, want an empty answer", answer, err)
	}
}

func TestRunRefusesALimitThatTheRuntimeWouldCrashOn(t *testing.T) {
	if answer, err := netns.Run(t.Context(), netns.Spec{Args: []string{roleChild, "answer"}, NoFile: 9}); err == nil || !strings.Contains(err.Error(), "at least 16") {
		t.Errorf("Run = %q, %v, want an error with the least limit", answer, err)
	}
	want := []string{"alive"}
	if got := run[[]string](t, netns.Spec{NoFile: 16}, "answer", "alive"); !slices.Equal(got, want) {
		t.Errorf("at the least limit: %q, want %q", got, want)
	}
}

func TestRunRefusesToRunInAChild(t *testing.T) {
	if got := run[string](t, netns.Spec{}, "run-again"); !strings.Contains(got, "a child may not run children") {
		t.Errorf("Run in a child: %s", got)
	}
}

func childRunAgain(*netns.Child, []string) (any, error) {
	_, err := netns.Run(context.Background(), netns.Spec{Args: []string{roleChild, "answer"}})
	if _, ok := errors.AsType[*netns.Unavailable](err); !ok {
		return nil, fmt.Errorf("no Unavailable: %w", err)
	}
	return fmt.Sprint(err), nil
}

func TestChildHasTheParentsEnvironmentAndWhatIsAdded(t *testing.T) {
	t.Setenv("NETNS_TEST", "of the parent")
	t.Setenv("RES_OPTIONS", "timeout:9")
	t.Setenv("GODEBUG", "netdns=go")
	got := run[[]string](t, netns.Spec{Env: []string{"GODEBUG=netdns=cgo"}}, "environment")
	for _, want := range []string{"NETNS_TEST=of the parent", "GODEBUG=netdns=cgo"} {
		if !slices.Contains(got, want) {
			t.Errorf("the child's environment lacks %q:\n%q", want, got)
		}
	}
	for _, v := range got {
		if strings.HasPrefix(v, "RES_OPTIONS=") || v == "GODEBUG=netdns=go" {
			t.Errorf("the child's environment has %q", v)
		}
	}
}

func TestContextEndKillsTheChildAndWaits(t *testing.T) {
	cause := errors.New("enough")
	for _, spec := range []netns.Spec{{}, {Namespaces: every}} {
		t.Run(spec.Namespaces.String(), func(t *testing.T) {
			t.Parallel()
			ready := sign(t)
			spec.Args = []string{roleChild, "hang", ready}
			ctx, cancel := context.WithCancelCause(t.Context())
			var err error
			done := make(chan struct{})
			go func() {
				defer close(done)
				_, err = netns.Run(ctx, spec)
			}()
			within(t, "the child hangs, or cannot be started", func() bool {
				select {
				case <-done:
					return true
				default:
					return exists(ready)
				}
			})
			pids := childrenWith(t, ready)
			cancel(cause)
			<-done
			if _, ok := errors.AsType[*netns.Unavailable](err); ok && mayLack(t, err) {
				t.Skip(err)
			}
			if !errors.Is(err, cause) {
				t.Errorf("Run = %v, want the context's cause", err)
			}
			if len(pids) != 1 || alive(pids[0]) {
				t.Errorf("children %v: want one, which is gone", pids)
			}
		})
	}
}

func TestRunStartsNothingWhenTheContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ready := sign(t)
	_, err := netns.Run(ctx, netns.Spec{Args: []string{roleChild, "hang", ready}, Namespaces: every})
	if !errors.Is(err, context.Canceled) || exists(ready) {
		t.Errorf("Run = %v, want context.Canceled and no child", err)
	}
}

func TestWhatAChildPrintsIsTakenAndBounded(t *testing.T) {
	size := 1 << 30
	if testing.Short() {
		size = 1 << 20
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := netns.Run(t.Context(), netns.Spec{Args: []string{roleChild, "print", fmt.Sprint(size)}})
	runtime.ReadMemStats(&after)
	if err == nil || len(err.Error()) > 64<<10 || !strings.Contains(err.Error(), "bytes left out") || !strings.Contains(err.Error(), "the end") {
		t.Errorf("Run of a child that prints %d bytes, then fails: %v", size, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
		t.Errorf("%d bytes allocated for it", grown)
	}
}

func childPrint(_ *netns.Child, args []string) (any, error) {
	var size int
	if _, err := fmt.Sscan(args[0], &size); err != nil {
		return nil, err
	}
	block := []byte(strings.Repeat("x\n", 1<<19))
	for printed := 0; printed < size; printed += len(block) {
		if _, err := os.Stdout.Write(block); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the end")
}

func TestAnAnswerWithoutEndEndsTheChild(t *testing.T) {
	_, err := netns.Run(t.Context(), netns.Spec{Args: []string{roleChild, "flood"}})
	if err == nil || !strings.Contains(err.Error(), "the answer is larger than 4194304 bytes") {
		t.Errorf("Run of a child that answers for ever: %v", err)
	}
}

func childFlood(c *netns.Child, _ []string) (any, error) {
	for {
		if _, err := io.WriteString(c.Result(), strings.Repeat("x", 1<<16)); err != nil {
			return nil, err
		}
	}
}

func TestChildrenRunSideBySide(t *testing.T) {
	var wg sync.WaitGroup
	errs := make([]error, 50)
	for i := range errs {
		wg.Go(func() {
			want := fmt.Sprintf("[\"%d\"]\n", i)
			spec := netns.Spec{Args: []string{roleChild, "answer", fmt.Sprint(i)}, Namespaces: every}
			got, err := netns.Run(t.Context(), spec)
			if err == nil && string(got) != want {
				err = fmt.Errorf("answer %q, want %q", got, want)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	err := errors.Join(errs...)
	if _, ok := errors.AsType[*netns.Unavailable](err); ok && mayLack(t, err) {
		t.Skip(err)
	}
	if err != nil {
		t.Error(err)
	}
}

// A thread that ends takes along the children that it forked: Run must keep
// the one it used. Goroutines that end while locked end their threads.
func TestChildrenOutliveTheThreadsAroundThem(t *testing.T) {
	release := sign(t)
	stop := make(chan struct{})
	var threads, children sync.WaitGroup
	for range 4 {
		threads.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					runtime.LockOSThread()
				}()
				<-ended
			}
		})
	}
	var ended atomic.Int32
	errs := make([]error, 24)
	ready := make([]string, len(errs))
	for i := range errs {
		ready[i] = sign(t)
		children.Go(func() {
			_, errs[i] = netns.Run(t.Context(), netns.Spec{Args: []string{roleChild, "wait-file", ready[i], release}})
			ended.Add(1)
		})
	}
	for i := range ready {
		within(t, "the child runs, or died before", func() bool { return exists(ready[i]) || ended.Load() > 0 })
	}
	if err := touch(release); err != nil {
		t.Fatal(err)
	}
	children.Wait()
	close(stop)
	threads.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func childWaitFile(_ *netns.Child, args []string) (any, error) {
	if err := touch(args[0]); err != nil {
		return nil, err
	}
	for !exists(args[1]) {
		time.Sleep(time.Millisecond)
	}
	return nil, nil
}

// BenchmarkRun measures, beside the whole, the time from the call of Run to
// the child's main.
func BenchmarkRun(b *testing.B) {
	for _, ns := range []netns.Namespaces{0, netns.Network, every, every | netns.User} {
		b.Run("namespaces="+strings.ReplaceAll(ns.String(), ", ", "+"), func(b *testing.B) {
			var toMain int64
			for b.Loop() {
				called := monotonic()
				toMain += run[int64](b, netns.Spec{Namespaces: ns}, "clock") - called
			}
			b.ReportMetric(float64(toMain)/float64(b.N)/1e6, "ms-to-main")
		})
	}
}

package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"github.com/retry-lab/retry-lab/servers"
)

// everyNamespace is what a case may change.
const everyNamespace = netns.Mount | netns.Network

// childGroup is cases whose children do what no case of the lab does.
func childGroup() Group {
	return Group{ID: "test-child", Rows: append(rows(linuxChildren()...), rows(
		inChild(Case{ID: "test-child/step-fails"}, netns.Spec{}, func(context.Context, *Env, *netns.Child) (Run, error) {
			return Run{}, fmt.Errorf("wrapped: %w", &netns.Unavailable{Step: "do the impossible", Err: errors.New("not here")})
		}),
		inChild(Case{ID: "test-child/breaks"}, netns.Spec{}, func(context.Context, *Env, *netns.Child) (Run, error) {
			return Run{}, errors.New("the lab's own trouble")
		}),
		inChild(Case{ID: "test-child/answers"}, netns.Spec{}, func(ctx context.Context, e *Env, _ *netns.Child) (Run, error) {
			srv, err := servers.NewFIN(servers.Options{})
			if err != nil {
				return Run{}, err
			}
			return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{Key: "order-5150"})
		}),
		inChild(Case{ID: "test-child/hangs"}, netns.Spec{Namespaces: everyNamespace}, hang),
		inChild(Case{ID: "test-child/out-of-files"}, netns.Spec{}, func(context.Context, *Env, *netns.Child) (Run, error) {
			return Run{}, fmt.Errorf("start server: %w", syscall.EMFILE)
		}),
		&Case{ID: "test-child/none", Run: func(context.Context, *Env) (Run, error) { return Run{}, nil }},
	)...)}
}

// signVariable names the file by which hang says that it hangs.
const signVariable = "SCENARIOS_TEST_SIGN"

// hang changes all that a case may change, says so, and stays.
func hang(ctx context.Context, _ *Env, child *netns.Child) (Run, error) {
	if err := errors.Join(child.LoopbackUp(), child.Resolver(netip.AddrFrom4([4]byte{127, 0, 0, 1}))); err != nil {
		return Run{}, err
	}
	if err := child.Firewall(ctx, oneSegment(1, "drop")); err != nil {
		return Run{}, err
	}
	srv, err := servers.NewFullBacklog(servers.Options{})
	if err != nil {
		return Run{}, err
	}
	defer srv.Close()
	if err := os.WriteFile(os.Getenv(signVariable), nil, 0o600); err != nil {
		return Run{}, err
	}
	<-make(chan struct{})
	return Run{}, nil
}

// testChild runs one case of childGroup.
func testChild(t *testing.T, id string) (Run, *Env, error) {
	t.Helper()
	e := &Env{Epoch: time.Now()}
	for _, row := range childGroup().Rows {
		if row.ID == "test-child/"+id {
			run, err := row.Case.Run(t.Context(), e)
			return run, e, err
		}
	}
	t.Fatalf("no case %s", id)
	return Run{}, nil, nil
}

func TestAStepThatFailsInAChildSkipsTheCase(t *testing.T) {
	needsChildren(t)
	for _, row := range []struct{ id, want string }{
		{"step-fails", "cannot do the impossible: not here"},
		{"out-of-files", "cannot run the case in a child process: start server: " + syscall.EMFILE.Error()},
		{"no-null", "cannot use up the descriptors: open /dev/null: no such file or directory"},
	} {
		_, _, err := testChild(t, row.id)
		if skip, ok := errors.AsType[*Skip](err); !ok || skip.Why != row.want {
			t.Errorf("%s: %v, want a skip: %s", row.id, err, row.want)
		}
	}
}

// The variable that marks a child may be anybody's.
func TestAChildThatMayNotStartSkipsTheCase(t *testing.T) {
	needsChildren(t)
	t.Setenv("RETRY_LAB_CHILD", "1")
	_, _, err := testChild(t, "answers")
	if skip, ok := errors.AsType[*Skip](err); !ok || !strings.Contains(skip.Why, "RETRY_LAB_CHILD=1 is set") {
		t.Errorf("%v, want a skip that names the variable", err)
	}
}

func TestAChildThatBreaksIsTheLabsOwnTrouble(t *testing.T) {
	needsChildren(t)
	_, _, err := testChild(t, "breaks")
	if _, ok := errors.AsType[*Skip](err); ok || err == nil || !strings.Contains(err.Error(), "the lab's own trouble") {
		t.Errorf("%v, want an error that quotes the child", err)
	}
}

// The parent's clock: everything lies between its two looks at it.
func TestAChildTellsTheTimeSinceTheParentsEpoch(t *testing.T) {
	needsChildren(t)
	run, e, err := testChild(t, "answers")
	if err != nil {
		t.Fatal(err)
	}
	end := ms(time.Since(e.Epoch))
	a, d := run.Attempts[0], run.Record.Deliveries[0]
	inOrder := []float64{
		0, a.StartedMS, d.AtMS, ms(d.CommittedAt.Sub(e.Epoch)), ms(d.EndedAt.Sub(e.Epoch)), a.EndedMS, end,
	}
	for i := 1; i < len(inOrder); i++ {
		if inOrder[i] < inOrder[i-1]-0.1 { // microseconds are rounded, and the ledger is written before the socket
			t.Errorf("milliseconds since the epoch are not in order: %v", inOrder)
			break
		}
	}
	if at := ms(a.Events[0].At.Sub(e.Epoch)); at < a.StartedMS-0.1 || at > a.EndedMS {
		t.Errorf("first event at %v ms of an attempt from %v to %v", at, a.StartedMS, a.EndedMS)
	}
	if a.Code != "EOF" || !a.Key || !d.Committed || d.Key != "order-5150" || a.Port != run.Record.Connections[0].Port {
		t.Errorf("attempt %+v, delivery %+v", a, d)
	}
}

func TestAChildRefusesWhatIsNoCaseOfIts(t *testing.T) {
	for _, args := range [][]string{
		{},
		{"test-child/answers"},
		{"test-child/answers", "yesterday"},
		{"test-child/none", "0"},
		{"no-such-case", "0"},
	} {
		if run, err := runInner(t.Context(), groupsOfTests(), args, nil); err == nil {
			t.Errorf("%q: %+v, want an error", args, run)
		}
	}
}

// needsChildren skips where there is none.
func needsChildren(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("netns runs children on Linux only")
	}
}

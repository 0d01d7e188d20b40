package netns_test

import (
	"errors"
	"testing"

	"github.com/retry-lab/retry-lab/netns"
)

func TestNamesAreThoseOfTheField(t *testing.T) {
	rows := []struct{ why, got, want string }{
		{"no namespace", netns.Namespaces(0).String(), ""},
		{"several namespaces", (netns.Mount | netns.PID | netns.Network | netns.User).String(), "mount, pid, network, user"},
		{"unreachable", netns.Unreachable.String(), "unreachable"},
		{"prohibit", netns.Prohibit.String(), "prohibit"},
		{"blackhole", netns.Blackhole.String(), "blackhole"},
		{"no kind of route", netns.RouteKind(0).String(), "RouteKind(0)"},
		{"no kind of route that exists", netns.RouteKind(4).String(), "RouteKind(4)"},
	}
	for _, r := range rows {
		if r.got != r.want {
			t.Errorf("%s: %q, want %q", r.why, r.got, r.want)
		}
	}
}

func TestALimitThatTheRuntimeWouldCrashOnIsRefused(t *testing.T) {
	for noFile, ok := range map[uint64]bool{0: true, 1: false, 8: false, 15: false, 16: true, 1 << 20: true} {
		if err := (netns.Spec{NoFile: noFile}).Validate(); (err == nil) != ok {
			t.Errorf("NoFile %d: %v, want it accepted: %v", noFile, err, ok)
		}
	}
}

func TestUnavailableSaysStepAndReason(t *testing.T) {
	reason := errors.New("no such thing")
	err := error(&netns.Unavailable{Step: "do it", Err: reason})
	if got, want := err.Error(), "cannot do it: no such thing"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, reason) {
		t.Errorf("%v does not wrap its reason", err)
	}
}

package audit

import (
	"slices"
	"strings"
	"testing"
)

func TestFactsOfTheFirstPause(t *testing.T) {
	control := map[string][]Observation{"control/retries-503": {seen("control/retries-503", []Delivery{at(1, 503), at(12, 200)})}}
	if f := factsOf(Declared{}, false, control); f.Pauses || f.FirstGap[Retry503] != 10 {
		t.Errorf("of the control alone: pauses %t, gap %v, want false and its own", f.Pauses, f.FirstGap)
	}
	for _, test := range []struct {
		pool   []Observation
		pauses bool
		gap    float64
	}{
		{many(50, seen("backoff/shape", sequence(200, 400))), true, 200},
		{append(many(49, seen("backoff/shape", sequence(200, 400))), seen("backoff/shape", sequence(5, 400))), false, 200},
		{many(50, seen("backoff/shape", sequence(1, 1))), false, 1},
		{many(9, seen("backoff/shape", sequence(200, 400))), false, 10}, // too few
	} {
		control["backoff/shape"] = test.pool
		if f := factsOf(Declared{}, false, control); f.Pauses != test.pauses || f.FirstGap[Retry503] != test.gap {
			t.Errorf("of %d runs: pauses %t, gap %v, want %t and %v", len(test.pool), f.Pauses, f.FirstGap, test.pauses, test.gap)
		}
	}
}

func TestMethodFixed(t *testing.T) {
	asPost := func(d *Delivery) { d.Method = "POST" }
	ok := map[string][]Observation{"control/ok": {seen("control/ok", []Delivery{at(1, 200, asPost)})}}
	facts := factsOf(Declared{MethodFixed: true}, false, ok)
	if facts.Method != "POST" {
		t.Fatalf("method %q, want that of control/ok's delivery", facts.Method)
	}
	r := run{o: Options{Declared: facts.Declared}, cases: Cases(), facts: facts}
	for id, want := range map[string]string{
		"status/post-500": "", "wait/seconds": "", "backoff/shape": "", // of that method, or of any
		"safe/get-reset": "nothing but POST (--method-fixed)", "replay/keepalive-put": "nothing but POST (--method-fixed)",
	} {
		if got := r.cannot(caseOf(r.cases, id)); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: cannot be asked for %q, want %q", id, got, want)
		}
	}
	other := seen("safe/get-reset", []Delivery{at(1, 0, asPost)})
	for declared, want := range map[bool]string{false: "declare --method-fixed", true: "POST where GET was asked for"} {
		facts.MethodFixed = declared
		if g, _ := always(facts, other); g.Verdict != NA || !strings.HasSuffix(strings.TrimSuffix(g.Observed, ")"), want) {
			t.Errorf("declared %t: %s, %q; want n.a. and ...%q", declared, g.Verdict, g.Observed, want)
		}
	}
}

// A time-out of the whole call is the deadline where there is one.
func TestTotalTimeoutIsTheDeadline(t *testing.T) {
	l := lab{o: Options{Declared: Declared{TotalTimeout: true}}}
	for id, want := range map[string]int{"deadline/honest": deadlineMS, "wait/seconds": wholeTimeout, "unknown/charge-bare": TimeoutMS} {
		if got := l.request(caseOf(Cases(), id)).TimeoutMS; got != want {
			t.Errorf("%s: time-out %d ms, want %d", id, got, want)
		}
	}
}

func TestWhetherTheExitCodeTells(t *testing.T) {
	for why, row := range map[string]struct {
		fails Observation
		want  bool
	}{
		"failure reported":       {seen("control/fails", []Delivery{at(1, 404)}), true},
		"success reported":       {seen("control/fails", []Delivery{at(1, 404)}, exit(0)), false},
		"tries again for ever":   {seen("control/fails", []Delivery{at(1, 404), at(3, 404)}, early, exit(0)), true},
		"asleep at the cut":      {seen("control/fails", []Delivery{at(1, 404)}, asleep), true},
		"never asked for it all": {seen("control/fails", nil), false},
	} {
		f := factsOf(Declared{}, false, map[string][]Observation{"control/fails": {row.fails}})
		if f.ExitTold != row.want {
			t.Errorf("%s: the exit code tells: %t, want %t", why, f.ExitTold, row.want)
		}
	}
}

// What tells a replay from a retry is asked whatever is selected; what takes a
// time-out, where a verdict depends on it.
func TestSelectTakesTheControlsThatItRestsOn(t *testing.T) {
	for glob, want := range map[string][]string{
		"safe/get-reset":      {"control/ok", "control/fails", "control/retries-503", "control/retries-reset"},
		"unknown/charge-bare": {"control/ok", "control/fails", "control/retries-503", "control/retries-reset", "control/retries-timeout"},
		"replay/fresh-post":   {"control/ok", "control/fails", "control/retries-503", "control/retries-reset", "control/retries-timeout"},
		"tls/untrusted":       {"control/ok", "control/fails", "control/retries-503", "control/retries-reset", "control/tls-ok"},
		"deadline/honest":     {"control/ok", "control/fails", "control/retries-503", "control/retries-reset", "wait/on-503"},
	} {
		cases, err := Select(Cases(), []string{glob})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range cases {
			if c.ID != glob {
				got = append(got, c.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %s: %v, want %v", glob, got, want)
		}
	}
}

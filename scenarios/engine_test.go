package scenarios

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

// groupOf is a group of the lab by its id.
func groupOf(t *testing.T, id string) Group {
	t.Helper()
	for _, g := range Groups() {
		if g.ID == id {
			return g
		}
	}
	t.Fatalf("no group %s", id)
	return Group{}
}

var (
	seeds   = flag.Int("seeds", 1, "how many times the engine meets every fault, with a new seed each")
	theSeed = flag.Uint64("seed", 0, "the seed of all of them; 0: a new one each")
)

func TestTheEngineChargesNobodyTwiceAndGivesUpNothingThatWasNeverSent(t *testing.T) {
	for range *seeds {
		seed := cmp.Or(*theSeed, rand.Uint64())
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { meetEveryFault(t, seed) })
	}
}

func meetEveryFault(t *testing.T, seed uint64) {
	rows := runRows(t, on(engineGroup(matrixGroups(), seed)))
	sum := rows["summary"]
	want(t, sum, "double", "0", "missed", "0", "replays", "0", "charges", "1")
	t.Logf("%d rows: double %s, missed %s, replays %s, charges %s", len(rows)-1,
		sum.Cells["double"], sum.Cells["missed"], sum.Cells["replays"], sum.Cells["charges"])
	for id, row := range rows {
		if strings.HasSuffix(id, "/get") && row.Skipped == "" {
			want(t, row, "charges", "0")
		}
	}
	for _, tc := range []struct {
		why, id string
		cells   []string
	}{
		{"nothing was sent: all three attempts are made", "connect/refused/post",
			[]string{"attempts", "3", "deliveries", "0", "outcome", "stopped", "processed", "never"}},
		{"the answer was lost: a bare POST stays ambiguous", "response/fin/post",
			[]string{"attempts", "1", "charges", "1", "outcome", "ambiguous", "processed", "maybe"}},
		{"a key lets the same go again", "response/fin/post-key",
			[]string{"attempts", "3", "deliveries", "3", "charges", "1", "outcome", "stopped"}},
		{"the second try gets the stored answer", "charge/bare/post-key",
			[]string{"attempts", "2", "charges", "1", "outcome", "success", "processed", "yes"}},
		{"net/http would send it again by itself", "http2/protocol-error/post",
			[]string{"attempts", "1", "deliveries", "1", "charges", "1", "outcome", "ambiguous"}},
		{"a wait that passes with the first attempt", "pool/exhausted-then-freed/post",
			[]string{"attempts", "2", "deliveries", "1", "charges", "1", "outcome", "success"}},
		{"a bare 503 is not believed where the engine is strict", "gateway/lying-503/post",
			[]string{"attempts", "1", "deliveries", "1", "charges", "1", "outcome", "ambiguous"}},
		{"the server's wait is longer than any: nothing is slept through", "retry-after/day/post",
			[]string{"attempts", "1", "outcome", "stopped"}},
		{"in a child process as well", "connect/refused-after-processed/post",
			[]string{"attempts", "1", "charges", "1", "outcome", "ambiguous"}},
	} {
		row, ok := rows[tc.id]
		if !ok {
			t.Errorf("%s: no row %s", tc.why, tc.id)
		}
		want(t, row, tc.cells...)
	}
}

// on is a group that is not on request any more.
func on(g Group) Group {
	g.OnRequest = false
	return g
}

// Whatever a case's author forgets, the engine's rows have it.
func TestEveryCaseIsMetByTheEngineOrSaysWhyNot(t *testing.T) {
	engine := groupOf(t, "engine")
	for _, g := range matrixGroups() {
		for _, row := range g.Rows {
			for _, as := range []string{"get", "post", "post-key"} {
				id := "engine/" + row.Case.ID + "/" + as
				has := slices.ContainsFunc(engine.Rows, func(r RowDef) bool { return r.ID == id })
				if left := row.Case.ByEngine.LeftOut != ""; has == left {
					t.Errorf("row %s is there: %v; left out: %q", id, has, row.Case.ByEngine.LeftOut)
				}
			}
		}
	}
}

// A seed is worth printing only if it brings the same waits back.
func TestASeedDrawsTheSameAgain(t *testing.T) {
	one, again, other := seeded(7), seeded(7), seeded(8)
	same := 0
	for i := range 100 {
		a := one()
		if b := again(); a != b {
			t.Fatalf("draw %d: %v, then %v", i, a, b)
		}
		if a == other() {
			same++
		}
	}
	if same > 1 {
		t.Errorf("%d of 100 draws are those of another seed", same)
	}
}

func TestEveryColumnOnRequestHasItsMeaning(t *testing.T) {
	for _, g := range Groups() {
		for _, c := range g.Columns {
			if c.Meaning == "" {
				t.Errorf("%s: column %s has none", g.ID, c.Name)
			}
		}
	}
}

// A policy that lets go of every safeguard has to show in the summary: else its
// zeros say nothing.
func TestTheSummarySeesAnEngineThatIsUnsafeOrGivesUp(t *testing.T) {
	delivery := func(n int, key string) servers.Delivery {
		return servers.Delivery{N: n, Attempt: n, Connection: 1, Method: "POST", Key: key, Committed: true}
	}
	never := classifier.Failure{Code: "ECONNREFUSED", Syscall: classifier.Connect, Phase: classifier.PhaseConnect, Processed: classifier.Never, Basis: classifier.Guaranteed}
	unknown := classifier.Failure{Code: "ECONNREFUSED", Phase: classifier.PhaseConnect, Processed: classifier.Maybe, Basis: classifier.Assumed}
	name := classifier.Failure{Code: classifier.NotFound, Syscall: classifier.Getaddrinfo, Phase: classifier.PhaseResolve, Processed: classifier.Never, Basis: classifier.Guaranteed}
	attempt := func(n int, f classifier.Failure, v classifier.Verdict, why classifier.Reason) Attempt {
		a := Attempt{N: n, Step: &Step{Verdict: v, Reason: why, Processed: f.Processed, Basis: f.Basis}}
		a.enter(f)
		return a
	}
	post := request{Method: "POST"}
	for _, tc := range []struct {
		why            string
		as             request
		deliveries     []servers.Delivery
		attempts       []Attempt
		alone          classifier.Failure
		double, missed string
	}{
		{"a bare POST that was charged twice", post, []servers.Delivery{delivery(1, ""), delivery(2, "")},
			[]Attempt{attempt(2, unknown, classifier.Stop, retry.AttemptsUsedUp)}, unknown, "1", "0"},
		{"one key, two deliveries: the server charges once", post, []servers.Delivery{delivery(1, "k"), delivery(2, "k")},
			[]Attempt{attempt(2, unknown, classifier.Stop, retry.AttemptsUsedUp)}, unknown, "0", "0"},
		{"a new key for each try is no better than none", post, []servers.Delivery{delivery(1, "k"), delivery(2, "l")},
			[]Attempt{attempt(2, unknown, classifier.Stop, retry.AttemptsUsedUp)}, unknown, "1", "0"},
		{"a GET asks for no charge", request{Method: "GET"}, []servers.Delivery{delivery(1, ""), delivery(2, "")},
			[]Attempt{attempt(2, unknown, classifier.Stop, retry.AttemptsUsedUp)}, unknown, "0", "0"},
		{"given up at once, though nothing was sent", post, nil,
			[]Attempt{attempt(1, never, classifier.Ambiguous, classifier.MayHaveBeenProcessed)}, never, "0", "1"},
		{"the engine could not prove what net/http's recorder could", post, nil,
			[]Attempt{attempt(1, unknown, classifier.Ambiguous, classifier.MayHaveBeenProcessed)}, never, "0", "1"},
		{"stopped by a budget before the last attempt", post, nil,
			[]Attempt{attempt(1, never, classifier.Retry, classifier.NotSent), attempt(2, never, classifier.Stop, retry.BudgetUsedUp)}, never, "0", "1"},
		{"tried as often as the policy allows", post, nil,
			[]Attempt{attempt(3, never, classifier.Stop, retry.AttemptsUsedUp)}, never, "0", "0"},
		{"a name that does not exist will not pass", post, nil,
			[]Attempt{attempt(1, name, classifier.Fail, classifier.Deterministic)}, name, "0", "0"},
		{"nobody could prove it", post, nil,
			[]Attempt{attempt(1, unknown, classifier.Ambiguous, classifier.MayHaveBeenProcessed)}, unknown, "0", "0"},
	} {
		run := Run{Attempts: tc.attempts, Record: servers.Record{Connections: []servers.Connection{{N: 1}}, Deliveries: tc.deliveries}}
		run.Missed = missed(run, Run{Attempts: []Attempt{attempt(1, tc.alone, "", "")}})
		run.Cells = engineCells(run, tc.as)
		row := Row{ID: "engine/x", Def: RowDef{Case: &Case{of: &Case{}}}, Runs: []Run{run}}
		sums := engineSums([]Row{row})
		if sums["double"] != tc.double || sums["missed"] != tc.missed {
			t.Errorf("%s: double %s, missed %s; want %s, %s", tc.why, sums["double"], sums["missed"], tc.double, tc.missed)
		}
		sound, useful := Runner{}.invariants([]GroupResult{{Rows: []Row{row}}})
		if (len(sound.Unsafe) > 0) != (tc.double == "1") || (len(useful.Withheld) > 0) != (tc.missed == "1") {
			t.Errorf("%s: %+v, %+v", tc.why, sound, useful)
		}
	}
}

// On a machine that is too slow for the engine's timer, the case begins anew.
func TestATimerThatEndsAnotherWaitIsNotTheFault(t *testing.T) {
	var limits []time.Duration
	c := &Case{ID: "x/stalls", ByEngine: Terms{Stalls: classifier.PhaseAwait}, Run: func(_ context.Context, e *Env) (Run, error) {
		limits = append(limits, e.as.Limit)
		a := Attempt{N: 1, Code: classifier.Timeout, Phase: classifier.PhaseConnect, Step: &Step{}}
		if len(limits) == 3 {
			a.Phase = classifier.PhaseAwait
		}
		return Run{Attempts: []Attempt{a}}, nil
	}}
	run, err := metByEngine(t.Context(), &Env{}, c, request{Method: "POST"})
	if want := []time.Duration{engineLimit, 4 * engineLimit, 16 * engineLimit}; err != nil || run.Attempts[0].Phase != classifier.PhaseAwait || !slices.Equal(limits, want) {
		t.Errorf("%+v, %v, after the limits %v; want %v", run.Attempts, err, limits, want)
	}
	c.Run = func(context.Context, *Env) (Run, error) { return Run{Attempts: []Attempt{{N: 1}}}, nil }
	if _, err := metByEngine(t.Context(), &Env{}, c, request{}); err == nil {
		t.Error("a case that does not use the engine passes for one")
	}
}

func TestGroupsOnRequestRunOnlyWhereTheyAreNamed(t *testing.T) {
	quiet := Group{ID: "quiet", OnRequest: true, Rows: rows(&Case{ID: "quiet/a"}, &Case{ID: "quiet/sum", Sums: engineSums})}
	groups := append(testGroups(), quiet)
	for _, tc := range []struct {
		why  string
		ids  []string
		want string
	}{
		{"nothing named: not they", nil, "net tls"},
		{"a group", []string{"quiet"}, "quiet"},
		{"a row", []string{"quiet/a"}, "quiet"},
		{"a row of each", []string{"net/b", "quiet/a"}, "net quiet"},
	} {
		sel, err := Select(groups, tc.ids)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range sel {
			got = append(got, s.Group.ID)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: Select(%q) = %q, want %q", tc.why, tc.ids, got, tc.want)
		}
	}
	if sel, err := Select(groups, []string{"quiet/sum"}); err != nil || len(sel) != 1 || !sel[0].Complete {
		t.Errorf("a sum alone: %+v, %v; want the rows that it is about", sel, err)
	}
}

func TestTheWaitsAreThoseOfTheFormulas(t *testing.T) {
	rows := runRows(t, on(groupOf(t, "backoff")))
	for id, waits := range map[string]string{
		"fixed-none":           "1000 1000 1000 1000 1000 1000 1000 1000 1000",
		"linear-none":          "1000 2000 3000 4000 5000 6000 7000 8000 30000",
		"exponential-none":     "1000 2000 4000 8000 16000 30000 30000 30000 30000",
		"fibonacci-none":       "1000 1000 2000 3000 5000 8000 13000 21000 30000",
		"exponential-full":     "0-1000 0-2000 0-4000 0-8000 0-16000 0-30000 0-30000 0-30000 0-30000",
		"exponential-equal":    "500-1000 1000-2000 2000-4000 4000-8000 8000-16000 15000-30000 15000-30000 15000-30000 15000-30000",
		"exponential-additive": "1000-2000 2000-3000 4000-5000 8000-9000 16000-17000 30000 30000 30000 30000",
		"decorrelated":         "1000-3000 1000-9000 1000-27000 1000-30000 1000-30000 1000-30000 1000-30000 1000-30000 1000-30000",
	} {
		for i, wait := range strings.Fields(waits) {
			want(t, rows[id], waitColumn(backoffRetries()[i]), wait)
		}
	}
	for _, w := range waitsOf(retry.Backoff{Base: backoffBase, Cap: backoffCap}) {
		mean, spread := float64(w.Max)/2, float64(w.Max)/math.Sqrt(12) // of a uniform distribution
		if off := math.Abs(w.mean - mean); off > 5*spread/math.Sqrt(backoffDraws) {
			t.Errorf("retry %d: the mean of the draws is %v off", w.Retry, time.Duration(off))
		}
		if math.Abs(w.spread/spread-1) > 0.02 {
			t.Errorf("retry %d: spread %v, want about %v", w.Retry, time.Duration(w.spread), time.Duration(spread))
		}
	}
}

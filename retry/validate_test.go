package retry_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

func badPolicies() []struct {
	policy retry.Policy
	says   string
} {
	backoff := func(b retry.Backoff) retry.Policy { return retry.Policy{Backoff: b} }
	budget := func(b retry.Budget) retry.Policy { return retry.Policy{Budget: b} }
	return []struct {
		policy retry.Policy
		says   string
	}{
		{retry.Policy{MaxAttempts: -1}, "max attempts -1: want at least 1 (zero means 3)"},
		{retry.Policy{AttemptTimeout: -1}, "attempt timeout -1ns is negative"},
		{retry.Policy{Deadline: -time.Second}, "deadline -1s is negative"},
		{retry.Policy{LongWait: 7}, "long wait 7 is none of those there are"},
		{backoff(retry.Backoff{Base: -time.Second}), "backoff: base -1s is negative"},
		{backoff(retry.Backoff{Cap: -time.Second}), "backoff: cap -1s is negative"},
		{backoff(retry.Backoff{Base: time.Minute}), "backoff: base 1m0s exceeds cap 30s"},
		{backoff(retry.Backoff{Base: 2, Cap: 1}), "backoff: base 2ns exceeds cap 1ns"},
		{backoff(retry.Backoff{Factor: math.NaN()}), "backoff: factor NaN: want a number of at least 1 (zero means 2)"},
		{backoff(retry.Backoff{Factor: 0.5}), "backoff: factor 0.5"},
		{backoff(retry.Backoff{Factor: -2}), "backoff: factor -2"},
		{backoff(retry.Backoff{Factor: math.Inf(1)}), "backoff: factor +Inf"},
		{backoff(retry.Backoff{Strategy: 9}), "backoff: strategy 9 is none"},
		{backoff(retry.Backoff{Jitter: -1}), "backoff: jitter -1 is none"},
		{budget(retry.Budget{Ratio: math.NaN()}), "budget: ratio NaN"},
		{budget(retry.Budget{Ratio: -1}), "budget: ratio -1"},
		{budget(retry.Budget{Ratio: 1e9}), "budget: ratio 1e+09"},
		{budget(retry.Budget{Floor: math.Inf(1)}), "budget: floor +Inf"},
		{budget(retry.Budget{TTL: -1}), "budget: ttl -1ns is negative"},
		{budget(retry.Budget{TTL: 3}), "budget: ttl 3ns is too short"},
		{budget(retry.Budget{MaxRetries: -1}), "budget: max retries -1 is negative"},
		{budget(retry.Budget{Window: time.Second}), "budget: a window needs max retries"},
		{budget(retry.Budget{Scope: retry.Global}), "budget: a global one needs a store"},
		{budget(retry.Budget{Scope: 5}), "budget: scope 5 is none"},
		{retry.Policy{Key: &retry.KeyPolicy{TTL: -1}}, "key: ttl -1ns is negative"},
		{retry.Policy{Key: &retry.KeyPolicy{Value: "k", Auto: true}}, "key: value, new and auto exclude each other"},
		{retry.Policy{Key: &retry.KeyPolicy{Header: "a b"}}, `key: header "a b" is no name`},
		{retry.Policy{AttemptHeader: "a:b"}, `attempt header "a:b" is no name`},
		{retry.Policy{RefetchTruncated: -1}, "refetch truncated: -1 bytes is negative"},
		{retry.Policy{Statuses: retry.Changes[int]{Add: []int{99}}}, "statuses: 99 is no status"},
		{retry.Policy{Statuses: retry.Changes[int]{Add: []int{500}, Remove: []int{500}}}, "statuses: 500 is both added and removed"},
		{retry.Policy{Methods: retry.Changes[string]{Add: []string{"PUT"}, Remove: []string{"PUT"}}}, "methods: PUT is both"},
		{retry.Policy{Codes: retry.Changes[classifier.Code]{Add: []classifier.Code{"EOF"}, Remove: []classifier.Code{"EOF"}}}, "codes: EOF is both"},
		{retry.Policy{Codes: retry.Changes[classifier.Code]{Add: []classifier.Code{"ECONREFUSED"}}}, `codes: unknown code "ECONREFUSED"`},
		{retry.Policy{Methods: retry.Changes[string]{Add: []string{"PUT, PATCH"}}}, `methods: "PUT, PATCH" is no name of a method`},
		{retry.Policy{Methods: retry.Changes[string]{Remove: []string{""}}}, `methods: "" is no name`},
	}
}

func TestABadPolicyIsSaidToBeBadAndSendsNothing(t *testing.T) {
	for _, row := range badPolicies() {
		err := row.policy.Validate()
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("Validate of %+v = %v, want %q", row.policy, err, row.says)
			continue
		}
		base := play(status(200))
		body := &closed{Reader: strings.NewReader("x")}
		r, rerr := http.NewRequestWithContext(t.Context(), "POST", "http://lab/", body)
		if rerr != nil {
			t.Fatal(rerr)
		}
		if _, err := (&retry.Transport{Base: base, Policy: row.policy}).RoundTrip(r); err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("RoundTrip with %+v: %v", row.policy, err)
		}
		if len(base.sent) != 0 || !body.is {
			t.Errorf("%s: %d requests, body closed %v; want none, true", row.says, len(base.sent), body.is)
		}
		ran := false
		err = retry.Do(t.Context(), row.policy, retry.Op{}, func(context.Context, int) error { ran = true; return nil })
		if err == nil || ran {
			t.Errorf("Do with %+v: %v, ran %v", row.policy, err, ran)
		}
		if got := retry.Explain(row.policy); !strings.HasPrefix(got, "not valid: ") {
			t.Errorf("Explain of %+v = %q", row.policy, got)
		}
	}
}

// closed notes that it was.
type closed struct {
	*strings.Reader
	is bool
}

func (c *closed) Close() error { c.is = true; return nil }

func TestEveryMistakeIsNamedAtOnce(t *testing.T) {
	p := retry.Policy{MaxAttempts: -1, Deadline: -1, Backoff: retry.Backoff{Factor: math.NaN()}}
	err := p.Validate()
	for _, want := range []string{"max attempts", "deadline", "factor"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}

func TestGoodPoliciesAreGood(t *testing.T) {
	for _, p := range []retry.Policy{
		{},
		{MaxAttempts: 1, MaxWait: -1, BufferBody: -1},
		{Backoff: retry.Backoff{Base: time.Minute, Cap: time.Minute}},
		{Backoff: retry.Backoff{Cap: time.Millisecond}},
		{Budget: retry.Budget{Scope: retry.Global, Store: retry.NewMemoryStore()}},
		{Budget: retry.Budget{MaxRetries: 10}},
		{Codes: retry.Changes[classifier.Code]{Add: classifier.Codes(), Remove: []classifier.Code{"HTTP_503"}}},
		{Key: &retry.KeyPolicy{Header: "X-Request-Id", New: func(*http.Request) (string, error) { return "k", nil }}},
	} {
		if err := p.Validate(); err != nil {
			t.Errorf("Validate of %+v = %v", p, err)
		}
	}
}

func TestAKeyThatCannotBeMadeEndsTheRequest(t *testing.T) {
	why := errors.New("no entropy")
	base := play(status(200))
	p := retry.Policy{Key: &retry.KeyPolicy{New: func(*http.Request) (string, error) { return "", why }}}
	if _, err := (&retry.Transport{Base: base, Policy: p}).RoundTrip(request(t, t.Context(), "POST", "x")); !errors.Is(err, why) || len(base.sent) != 0 {
		t.Errorf("%v after %d requests", err, len(base.sent))
	}
}

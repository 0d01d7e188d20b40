package retry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

func TestAPolicyIsPutIntoWords(t *testing.T) {
	rows := []struct {
		policy retry.Policy
		says   string
	}{
		{retry.Policy{MaxAttempts: 1}, "one attempt, nothing is tried again\n"},
		{retry.Policy{SingleRetry: true}, "up to 2 attempts\n"},
		{retry.Policy{Backoff: retry.Backoff{Strategy: retry.Fixed, Jitter: retry.NoJitter}}, "waits of 1s, without jitter\n"},
		{retry.Policy{Backoff: retry.Backoff{Strategy: retry.Linear, Jitter: retry.EqualJitter}}, "linear waits from 1s to at most 30s, with equal jitter\n"},
		{retry.Policy{Backoff: retry.Backoff{Strategy: retry.Fibonacci, Jitter: retry.AdditiveJitter}}, "fibonacci waits from 1s to at most 30s, with additive jitter\n"},
		{retry.Policy{Backoff: retry.Backoff{Jitter: retry.DecorrelatedJitter}}, "waits of up to three times the one before, from 1s to at most 30s, with decorrelated jitter\n"},
		{retry.Policy{MaxWait: -1}, "a server's wait ends the operation\n"},
		{retry.Policy{MaxWait: 5 * time.Second, LongWait: retry.Clamp}, "a server's wait is kept up to 5s, and cut off there\n"},
		{retry.Policy{Key: &retry.KeyPolicy{}}, "and those with an Idempotency-Key, for 24h0m0s\n"},
		{retry.Policy{Unsafe: true}, "UNSAFE: "},
		{retry.Policy{Strict: true}, "a server's bare claim that it did no work is not believed\n"},
		{retry.Policy{Methods: retry.Changes[string]{Add: []string{"PATCH", "LOCK"}}}, "methods that count as idempotent: PATCH, LOCK\n"},
		{retry.Policy{Methods: retry.Changes[string]{Remove: []string{"PUT"}}}, "methods that are never tried again: PUT\n"},
		{retry.Policy{Statuses: retry.Changes[int]{Add: []int{404}, Remove: []int{500, 502}}}, "statuses that may pass besides: 404\nstatuses that are final: 500, 502\n"},
		{retry.Policy{Codes: retry.Changes[classifier.Code]{Add: []classifier.Code{classifier.NotFound}, Remove: []classifier.Code{"EOF"}}},
			"failures that may pass besides: ENOTFOUND\nfailures that are final: EOF\n"},
		{retry.Policy{AttemptTimeout: time.Second, Deadline: time.Minute}, "an attempt takes at most 1s\nall of it takes at most 1m0s\n"},
		{retry.Policy{Budget: retry.Budget{Off: true}}, "no budget: retries are bounded by attempts alone\n"},
		{retry.Policy{Budget: retry.Budget{MaxRetries: 1000, Scope: retry.PerClient}}, "budget: 1000 retries in 1m0s, per client\n"},
		{retry.Policy{Budget: retry.Budget{Scope: retry.Global, Store: retry.NewMemoryStore()}}, "for all clients of the store\n"},
		{retry.Policy{Budget: retry.Budget{Ratio: 0.07}}, "budget: 7 % of the requests and 1 a second"},
		{retry.Policy{MaxAttempts: 1000}, "\nand so on\n"},
	}
	for _, row := range rows {
		got := retry.Explain(row.policy)
		if !strings.Contains(got, row.says) {
			t.Errorf("Explain of %+v\n%swant it to say %q", row.policy, got, row.says)
		}
		if words := strings.Join(row.policy.Words(), "\n") + "\n"; !strings.HasPrefix(got, words) {
			t.Errorf("Explain of %+v\n%swant it to begin with its Words\n%s", row.policy, got, words)
		}
	}
	if got := retry.Explain(retry.Policy{MaxAttempts: 1}); strings.Contains(got, "again:") {
		t.Errorf("of one attempt:\n%swant no word on what is sent again", got)
	}
}

package scenarios

import (
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

// runGateways runs the group under a policy.
func runGateways(t *testing.T, p classifier.Policy) (Result, map[string]Row) {
	t.Helper()
	sel, err := Select([]Group{gatewayGroup()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Runner{Policy: p}.Run(t.Context(), sel)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]Row{}
	for _, row := range res.Groups[0].Rows {
		byID[row.ID] = row
	}
	return res, byID
}

func TestAGatewaysAnswerIsNotTheOrigins(t *testing.T) {
	res, byID := runGateways(t, classifier.Policy{})
	for id, tc := range map[string]struct {
		code, post, processed string
		committed             int
	}{
		"gateway/upstream-refused":              {"HTTP_502", "no", "maybe", 0},
		"gateway/upstream-refused-proxy-status": {"HTTP_502", "yes", "never", 0},
		"gateway/upstream-reset-after-commit":   {"HTTP_503", "no", "maybe", 1},
		"gateway/upstream-reset-proxy-status":   {"HTTP_503", "no", "maybe", 1},
		"gateway/upstream-timeout":              {"HTTP_504", "no", "maybe", 1},
		"gateway/lying-503":                     {"HTTP_503", "yes", "never", 1},
	} {
		row := byID[id]
		want(t, row, "code", tc.code, "post", tc.post, "processed", tc.processed)
		r := record(t, row)
		if r.Committed() != tc.committed || len(r.Deliveries) != tc.committed {
			t.Errorf("%s: the upstream has %d deliveries, %d committed; want %d", id, len(r.Deliveries), r.Committed(), tc.committed)
		}
		if gw := row.Runs[0].Gateway; len(gw.Deliveries) != 1 || gw.Committed() != 0 {
			t.Errorf("%s: the gateway has %+v, want one delivery, not committed", id, gw.Deliveries)
		}
	}
	if len(res.Sound.Unsafe) != 0 {
		t.Errorf("unsafe: %+v", res.Sound.Unsafe)
	}
	if w := res.Useful.Withheld; len(w) != 1 || w[0].Row != "gateway/upstream-refused" {
		t.Errorf("withheld %+v, want upstream-refused alone: only the ledger knows", w)
	}
}

func TestTheUpstreamWorksOnWhenTheGatewayHasAnswered(t *testing.T) {
	_, byID := runGateways(t, classifier.Policy{})
	run := byID["gateway/upstream-timeout"].Runs[0]
	front, back := run.Gateway.Deliveries[0], run.Record.Deliveries[0]
	if front.AnsweredAt.IsZero() || !front.AnsweredAt.Before(back.CommittedAt) {
		t.Errorf("answered at %v, committed at %v", front.AnsweredAt, back.CommittedAt)
	}
}

// A server is taken at its word, until a policy wants evidence.
func TestOnlyStrictDoesNotBelieveALyingRouter(t *testing.T) {
	const lying = "gateway/lying-503"
	res, byID := runGateways(t, classifier.Policy{})
	if c := res.Sound.RefutedClaims; len(c) != 1 || c[0].Row != lying || c[0].Basis != classifier.Claimed {
		t.Errorf("refuted claims %+v, want the router's", c)
	}
	if v := byID[lying].Verdicts.Post; v.Verdict != classifier.Retry {
		t.Errorf("verdict %+v, want retry", v)
	}
	res, byID = runGateways(t, classifier.Policy{Strict: true})
	if len(res.Sound.RefutedClaims)+len(res.Sound.Unsafe) != 0 {
		t.Errorf("strict: %+v", res.Sound)
	}
	if v := byID[lying].Verdicts.Post; v.Verdict != classifier.Ambiguous {
		t.Errorf("strict: verdict %+v, want ambiguous", v)
	}
}

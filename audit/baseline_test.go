package audit

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
)

func reportOf(verdicts ...string) Report {
	r := Report{Client: "a client"}
	for i := 0; i < len(verdicts); i += 2 {
		r.Cases = append(r.Cases, Result{ID: verdicts[i], Verdict: Verdict(verdicts[i+1])})
	}
	return r
}

func TestBaselineComesBackAsItWasWritten(t *testing.T) {
	r := reportOf("control/ok", "pass", "status/post-500", "danger", "replay/keepalive-post", "n.a.")
	table, err := r.Baseline(nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := golden.Write(&b, table); err != nil {
		t.Fatal(err)
	}
	read, err := ReadBaseline("client.md", &b)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Against(read); len(got.Drift) > 0 || len(got.Improved) > 0 {
		t.Errorf("drift %v, improved %v of the same report", got.Drift, got.Improved)
	}
}

func TestBaselineTellsDriftFromImprovement(t *testing.T) {
	rows := []struct {
		why, want, got string
		drift, better  bool
	}{
		{"the same", "weak", "weak", false, false},
		{"worse", "pass", "weak", true, false},
		{"a danger", "harm", "danger", true, false},
		{"better", "danger", "pass", false, true},
		{"it retries now, and well", "vacuous", "pass", false, true},
		{"it retries no more", "pass", "vacuous", true, false},
		{"it cannot be asked any more", "danger", "n.a.", true, false},
		{"it can be asked now", "n.a.", "pass", false, true},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			table, err := reportOf("safe/get-reset", row.want).Baseline(nil)
			if err != nil {
				t.Fatal(err)
			}
			got := reportOf("safe/get-reset", row.got).Against(table)
			if len(got.Drift) > 0 != row.drift || len(got.Improved) > 0 != row.better {
				t.Errorf("drift %v, improved %v", got.Drift, got.Improved)
			}
		})
	}
}

func TestBaselineOfAnotherCaseOrWord(t *testing.T) {
	table, err := reportOf("safe/get-reset", "pass").Baseline(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := reportOf("safe/get-truncated", "pass").Against(table); len(got.Drift) != 1 || got.Drift[0].ID != "safe/get-truncated" {
		t.Errorf("drift %v: want the case that the baseline does not have", got.Drift)
	}
	text := "# audit: x\n\nGolden table of retry-lab, recorded from real runs by `retry-lab golden update`.\n\n| id | verdict |\n|---|---|\n| audit/safe/get-reset | fine |\n"
	_, err = ReadBaseline("client.md", strings.NewReader(text))
	if e, ok := errors.AsType[*golden.SyntaxError](err); !ok || e.Line != 7 {
		t.Errorf("error %v", err)
	}
}

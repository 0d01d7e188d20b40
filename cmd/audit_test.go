package cmd

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/audit"
)

// docs/audit.md ends with the list of the cases.
func TestDocsListTheCasesOfAudit(t *testing.T) {
	const file = "../docs/audit.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const heading = "## Cases\n\n"
	intro, list, ok := strings.Cut(string(text), heading)
	if !ok {
		t.Fatalf("%s has no heading %q", file, heading)
	}
	got := invoke(t, lab{}, "", "audit", "list", "-o", "markdown")
	if got.code != exitOK {
		t.Fatalf("exit %d, stderr %q", got.code, got.stderr)
	}
	if *update {
		if err := os.WriteFile(file, []byte(intro+heading+got.stdout), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if list != got.stdout {
		t.Errorf("%s does not end with what 'audit list -o markdown' prints (run the test with -update)", file)
	}
}

// auditReport is one with a case of each verdict.
func auditReport() audit.Report {
	code := 22
	row := func(n int, at float64, kind audit.Kind, answered int) audit.Delivery {
		return audit.Delivery{N: n, AtMS: at, AnsweredMS: at + 1, EndedMS: at + 1, Connection: n, Proto: "HTTP/1.1", Method: "POST",
			BodyBytes: 48, Complete: true, Committed: true, Answered: answered, AnsweredAll: true, Ended: "kept", Kind: kind}
	}
	result := func(id string, v audit.Verdict, observed, fix string) audit.Result {
		return audit.Result{ID: id, Verdict: v, Runs: 1, Of: 1, Expected: "not sent again", Observed: observed, Fix: fix, KeysSame: true,
			BodiesSame: true, GapsMS: []float64{}, Ledger: []audit.Delivery{}, Exit: &code}
	}
	twice := result("status/post-500", audit.Danger, "committed twice in 2 deliveries (1 retried by policy)", "do not retry it")
	twice.Deliveries, twice.Commits, twice.GapsMS = 2, 2, []float64{1000}
	twice.Ledger = []audit.Delivery{row(1, 12, audit.First, 500), row(2, 1013, audit.PolicyRetry, 200)}
	asleep := result("wait/huge", audit.Harm, "waits without a bound, asleep at the cut after 30.0 s", "bound the wait")
	asleep.Cut = true
	return audit.Report{
		Schema: 1, Client: "a|\x1bclient", Command: []string{"client", "-H", "Idempotency-Key: {key}", "{url}"}, Usable: true,
		Notes: []string{"the command exits 0 on a 404"}, Broken: []string{},
		Cases: []audit.Result{
			result("control/ok", audit.Pass, "1 delivery", ""), twice, asleep,
			result("safe/get-reset", audit.Weak, "not fetched again", "retry it"),
			result("status/permanent-404", audit.Vacuous, "1 delivery", ""),
			result("replay/keepalive-post", audit.NA, "the command never requested the warm-up URL", ""),
		},
		Drift:    []audit.Drift{{ID: "safe/get-reset", Want: "pass", Got: "weak", File: "client.md", Line: 9}},
		Improved: []audit.Drift{{ID: "control/ok", Want: "weak", Got: "pass", File: "client.md", Line: 7}},
		Summary:  []audit.Counted{{Verdict: audit.Danger, Cases: 1}, {Verdict: audit.Pass, Cases: 1}},
		Profile:  audit.Profile{StartMS: 9.5, Deliveries: 4, Bounded: true, MedianGaps: []float64{1000, 2000}, Growth: 2, CapMS: 2000, HTTP2: true},
	}
}

func TestAuditRenderers(t *testing.T) {
	v := view{palette: newPalette(false), width: 100}
	for name, format := range map[string]string{"audit.txt": "table", "audit.json": "json", "audit.md": "markdown", "audit.xml": "junit", "audit.github": "github"} {
		t.Run(format, func(t *testing.T) {
			var b bytes.Buffer
			if err := auditRenderer(format, v, audit.Harm)(&b, auditReport()); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsRune(b.String(), '\x1b') {
				t.Error("a control character reaches the output")
			}
			expect(t, name, b.String())
		})
	}
}

func TestAuditExitCodes(t *testing.T) {
	clean := auditReport()
	clean.Drift = nil
	unusable := auditReport()
	unusable.Usable = false
	rows := []struct {
		why   string
		rep   audit.Report
		least audit.Verdict
		want  int
	}{
		{"a danger", clean, audit.Danger, exitDiffers},
		{"drift", auditReport(), audit.Danger, exitDiffers},
		{"nothing could be asked", unusable, audit.Weak, exitBroken},
		{"harm, and only dangers fail", audit.Report{Usable: true, Cases: clean.Cases[2:]}, audit.Danger, exitOK},
		{"harm", audit.Report{Usable: true, Cases: clean.Cases[2:]}, audit.Harm, exitDiffers},
		{"weak", audit.Report{Usable: true, Cases: clean.Cases[3:]}, audit.Harm, exitOK},
		{"a danger that is known", clean, "", exitOK},
		{"drift from what is known", auditReport(), "", exitDiffers},
		{"the lab could not run all", audit.Report{Usable: true, Broken: []string{"wait/huge"}, Notes: []string{"too many open files"}}, audit.Danger, exitBroken},
		{"a pass is no failure", audit.Report{Usable: true, Cases: clean.Cases[:1]}, audit.Weak, exitOK},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			a := newApp(strings.NewReader(""), io.Discard, io.Discard, func(string) (string, bool) { return "", false }, lab{})
			if got := a.exitCode(t.Context(), nil, auditExit(row.rep, row.least)); got != row.want {
				t.Errorf("exit code %d, want %d", got, row.want)
			}
		})
	}
}

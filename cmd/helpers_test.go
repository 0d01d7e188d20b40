package cmd

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

var update = flag.Bool("update", false, "write the expected outputs in testdata anew")

// An outcome is what one run of the program gave.
type outcome struct {
	code           int
	stdout, stderr string
}

// invoke runs the program on a lab that is not the real one.
func invoke(t *testing.T, l lab, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	noEnv := func(string) (string, bool) { return "", false }
	a := newApp(strings.NewReader(stdin), &stdout, &stderr, noEnv, l)
	code := a.execute(t.Context(), args)
	return outcome{code, stdout.String(), stderr.String()}
}

// testLab has two groups and runs nothing: it gives res. Its golden tables lie
// in a folder of the test's own.
func testLab(t *testing.T, res scenarios.Result) (lab, string) {
	t.Helper()
	dir := t.TempDir()
	set, err := golden.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return lab{
		groups: testGroups(),
		run: func(_ context.Context, _ scenarios.Runner, sel []scenarios.Selection) (scenarios.Result, error) {
			return selected(res, sel), nil
		},
		embedded: set,
		platform: "linux",
		now:      func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	}, dir
}

// selected is what a run of the selection gives of res.
func selected(res scenarios.Result, sel []scenarios.Selection) scenarios.Result {
	out := res
	out.Groups = nil
	for _, s := range sel {
		for _, g := range res.Groups {
			if g.Group.ID != s.Group.ID {
				continue
			}
			g.Complete = s.Complete
			var rows []scenarios.Row
			for _, row := range g.Rows {
				for _, def := range s.Rows {
					if def.ID == row.ID {
						rows = append(rows, row)
					}
				}
			}
			g.Rows = rows
			out.Groups = append(out.Groups, g)
		}
	}
	return out
}

func testGroups() []scenarios.Group {
	columns := []scenarios.Column{
		{Name: "code", Words: []string{"ECONNRESET", "ECONNREFUSED", "EPIPE"}}, {Name: "syscall"}, {Name: "phase"},
		{Name: "processed"}, {Name: "basis"}, {Name: "saw"},
		{Name: "get"}, {Name: "post"}, {Name: "post_key"}, {Name: "message"},
	}
	return []scenarios.Group{
		{
			ID: "network", Title: "no answer at all", Source: "tcp(7)", Columns: columns,
			Rows: []scenarios.RowDef{
				{ID: "network/refused", Case: &scenarios.Case{ID: "network/refused", Title: "nobody listens", Source: "connect(2)"}},
				{ID: "network/reset", Case: &scenarios.Case{ID: "network/reset", Title: "reset on the first byte", Source: "RFC 9293 section 3.10.7", Needs: "raw sockets"}},
			},
		},
		{
			ID: "charge", Title: "a charge", Source: "RFC 9110", Columns: []scenarios.Column{{Name: "charges", Numeric: true}},
			Rows: []scenarios.RowDef{{ID: "charge/bare", Case: &scenarios.Case{ID: "charge/bare", Title: "charged twice", Source: "RFC 9110 section 9.2.2"}}},
		},
	}
}

// testResult is a run in which all is well. The instants are one millisecond
// apart.
func testResult() scenarios.Result {
	epoch := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }
	groups := testGroups()
	refused := testRow(groups[0].Rows[0], map[string]string{
		"code": "ECONNREFUSED", "syscall": "connect", "phase": "connect", "processed": "never", "basis": "guaranteed",
		"saw": "nothing", "get": "yes", "post": "yes", "post_key": "yes",
		"message": "dial tcp 127.0.0.1:PORT: connect: connection refused",
	})
	refused.Verdicts = &scenarios.Verdicts{
		Get:     scenarios.Verdict{Verdict: classifier.Retry, Reason: classifier.NotSent},
		Post:    scenarios.Verdict{Verdict: classifier.Retry, Reason: classifier.NotSent},
		PostKey: scenarios.Verdict{Verdict: classifier.Retry, Reason: classifier.NotSent},
	}
	refused.Attempts = []scenarios.Attempt{{
		N: 1, StartedMS: 0, EndedMS: 3, Method: "POST", Code: "ECONNREFUSED", Syscall: "connect", Phase: "connect",
		Processed: "never", Basis: "guaranteed", Message: "dial tcp 127.0.0.1:40001: connect: connection refused",
		Events: []trace.Event{{At: at(0), What: "get connection 127.0.0.1:40001"}, {At: at(2), What: "connect failed"}},
	}}
	reset := testRow(groups[0].Rows[1], map[string]string{
		"code": "ECONNRESET", "syscall": "read", "phase": "await", "processed": "maybe", "basis": "assumed",
		"saw": "request", "get": "yes", "post": "no", "post_key": "yes",
		"message": "read tcp 127.0.0.1:PORT->127.0.0.1:PORT: read: connection reset by peer",
	})
	reset.Verdicts = &scenarios.Verdicts{
		Get:     scenarios.Verdict{Verdict: classifier.Retry, Reason: classifier.IdempotentMethod},
		Post:    scenarios.Verdict{Verdict: classifier.Ambiguous, Reason: classifier.MayHaveBeenProcessed},
		PostKey: scenarios.Verdict{Verdict: classifier.Retry, Reason: classifier.IdempotencyKey},
	}
	reset.Attempts = []scenarios.Attempt{{
		N: 1, StartedMS: 1, EndedMS: 9, Method: "POST", Key: true, Code: "ECONNRESET", Syscall: "read", Phase: "await",
		Processed: "maybe", Basis: "assumed", Message: "read: connection reset by peer",
		Events: []trace.Event{{At: at(1), What: "get connection"}, {At: at(4), What: "wrote request"}},
	}}
	reset.Ledger = []servers.Delivery{{
		N: 1, Attempt: 1, Connection: 1, AtMS: 3, Method: "POST", Path: "/pay", Key: "4f9d1c2e-secret-key", BodyBytes: 11,
		BodySHA256: "aa", Complete: true, Ended: "rst", At: at(3), EndedAt: at(5),
	}}
	charge := testRow(groups[1].Rows[0], map[string]string{"charges": "2"})
	return scenarios.Result{
		Groups: []scenarios.GroupResult{
			{Group: groups[0], Complete: true, ElapsedMS: 9, Rows: []scenarios.Row{refused, reset}},
			{Group: groups[1], Complete: true, ElapsedMS: 600.5, Rows: []scenarios.Row{charge}},
		},
		Sound:     scenarios.Sound{Checked: 3, Unsafe: []scenarios.Breach{}, RefutedClaims: []scenarios.Breach{}},
		Useful:    scenarios.Useful{Checked: 1, Withheld: []scenarios.Withheld{}},
		ElapsedMS: 601.25,
	}
}

// testRow fills a row that ran once.
func testRow(def scenarios.RowDef, cells map[string]string) scenarios.Row {
	row := scenarios.Row{ID: def.ID, Def: def, Cells: cells, Seen: map[string]map[string]int{}}
	for column, text := range cells {
		row.Seen[column] = map[string]int{text: 1}
	}
	return row
}

// setCell changes one cell of a row that ran once.
func setCell(row *scenarios.Row, column, text string) {
	row.Cells[column] = text
	row.Seen[column] = map[string]int{text: 1}
}

// record writes the golden tables that res agrees with.
func record(t *testing.T, l lab, dir string) {
	t.Helper()
	if got := invoke(t, l, "", "golden", "update", "--golden", dir); got.code != exitOK {
		t.Fatalf("golden update: exit %d, stderr %q", got.code, got.stderr)
	}
}

// expect compares got with the file in testdata, or writes it with -update.
func expect(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "render", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (run the test with -update)", err)
	}
	if d := golden.Diff(want, []byte(got), file); d != "" {
		t.Errorf("the output is not the expected one:\n%s", d)
	}
}

// contextOf is a context inside a bubble of package synctest.
func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithCancel(context.Background())
}

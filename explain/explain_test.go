package explain_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/retry-lab/retry-lab/explain"
)

// expectation is what a case expects of the operation.
type expectation struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	Code      string `json:"code"`
	Syscall   string `json:"syscall"`
	Phase     string `json:"phase"`
	Processed string `json:"processed"`
	Get       string `json:"get"`
	Post      string `json:"post"`
	PostKey   string `json:"post_key"`
	Why       string `json:"why"`
}

func loadCases(t testing.TB, path string) []expectation {
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("no cases here: %v", err)
	}
	defer f.Close()
	var cases []expectation
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var c expectation
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		cases = append(cases, c)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

// differs says how an operation differs from what a case expects.
func differs(c expectation, op *explain.Operation) (wrong, dangerous bool) {
	if op == nil {
		return true, false
	}
	wrong = c.Code != string(op.Code) || c.Phase != string(op.Phase) || c.Processed != string(op.Processed) ||
		c.Get != string(op.Get) || c.Post != string(op.Post) || c.PostKey != string(op.PostKey)
	bold := op.Post == explain.CellYes || op.Post == explain.CellWait || op.Post == explain.CellModified
	dangerous = bold && (c.Post == "no" || c.Post == "unknown") ||
		op.Processed == "never" && (c.Processed == "maybe" || c.Processed == "yes")
	return wrong, dangerous
}

// Cases are texts of public bug reports with what they mean. Those of testdata
// are this package's own: cases.jsonl is rewritten, public.jsonl quotes, with
// hosts and addresses changed. The others lie beside the repository.
func TestCasesAreAnsweredAsTheyAreMeant(t *testing.T) {
	rows := []struct {
		path  string
		right float64 // the least part that has to be right
	}{
		{"testdata/cases.jsonl", 1},
		{"testdata/public.jsonl", 0.98},
		{"../../shared/cases/explain.jsonl", 0.97},
		{os.Getenv("EXPLAIN_CASES"), 0.9},
	}
	for _, row := range rows {
		t.Run(row.path, func(t *testing.T) {
			if row.path == "" {
				t.Skip("EXPLAIN_CASES names no file")
			}
			cases := loadCases(t, row.path)
			right := 0
			for _, c := range cases {
				r := explain.Text([]byte(c.Text))
				wrong, dangerous := differs(c, r.Operation)
				if !wrong {
					right++
				}
				if dangerous {
					t.Errorf("%s is dangerous", c.ID)
				}
				if wrong || dangerous {
					t.Logf("%s: Text(%q) = %v by %v\nwant %s %s %s, %s/%s/%s: %s", c.ID, cut(c.Text), short(r.Operation), entries(r),
						c.Code, c.Phase, c.Processed, c.Get, c.Post, c.PostKey, c.Why)
				}
			}
			t.Logf("%d of %d right", right, len(cases))
			if float64(right) < row.right*float64(len(cases)) {
				t.Errorf("%d of %d cases are right, want %.0f %%", right, len(cases), 100*row.right)
			}
		})
	}
}

func cut(s string) string {
	if len(s) > 300 {
		return s[:300] + "..."
	}
	return s
}

func short(op *explain.Operation) any {
	if op == nil {
		return nil
	}
	return []any{op.Code, op.Phase, op.Processed, op.Get, op.Post, op.PostKey}
}

func entries(r explain.Result) []string {
	var ids []string
	for _, a := range r.Answers {
		ids = append(ids, a.Entry+" "+string(a.Code))
	}
	return ids
}

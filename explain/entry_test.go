package explain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/explain"
)

// Every entry carries a text that shows it. That text must be answered by the
// entry itself, with what the entry states.
func TestEveryEntryNamesItsExample(t *testing.T) {
	for _, table := range explain.Tables() {
		for _, e := range table.Entries {
			t.Run(e.ID, func(t *testing.T) {
				r := explain.Text([]byte(e.Example))
				if len(r.Answers) == 0 {
					t.Fatalf("Text(%q) has no answer", e.Example)
				}
				a := r.Answers[len(r.Answers)-1]
				switch e.Role {
				case explain.Clue:
					if a.Phase != e.Phase {
						t.Errorf("Text(%q): phase %s by %s, want the clue's %s", e.Example, a.Phase, a.Entry, e.Phase)
					}
				case explain.Earlier:
					if a.Processed != classifier.Maybe {
						t.Errorf("Text(%q): processed %s by %s, want maybe", e.Example, a.Processed, a.Entry)
					}
				case explain.Pause:
					if a.WaitMS == nil {
						t.Errorf("Text(%q): no wait, by %s", e.Example, a.Entry)
					}
				case explain.Mark:
					if a.SaidBy != explain.ByGateway {
						t.Errorf("Text(%q): said by %s, want the gateway", e.Example, a.SaidBy)
					}
				default:
					api := strings.HasPrefix(string(e.Code), "HTTP_") && strings.HasPrefix(string(a.Code), "HTTP_")
					if e.Code != "" && a.Code != e.Code && !api || e.Phase != "" && a.Phase != e.Phase || e.Usually != "" && a.Entry == e.ID && a.Phase != e.Usually && a.Certainty == explain.Likely {
						t.Errorf("Text(%q) = %s %s by %s, want %s %s%s", e.Example, a.Code, a.Phase, a.Entry, e.Code, e.Phase, e.Usually)
					}
					if a.Entry != e.ID {
						t.Errorf("Text(%q) was named by %s (%s %s), want %s", e.Example, a.Entry, a.Code, a.Phase, e.ID)
					}
				}
			})
		}
	}
}

func TestEntriesAreComplete(t *testing.T) {
	codes, phases, calls := classifier.Codes(), classifier.Phases(), classifier.Syscalls()
	seen := map[string]bool{}
	for _, table := range explain.Tables() {
		if table.Title == "" || table.SaidBy == "" {
			t.Errorf("table %q has no title or nobody who says it", table.Runtime)
		}
		for _, e := range table.Entries {
			if seen[e.ID] {
				t.Errorf("%s: twice", e.ID)
			}
			seen[e.ID] = true
			if e.Source == "" || e.Example == "" || len(e.Match) == 0 {
				t.Errorf("%s: no source, example or match", e.ID)
			}
			names := e.Role == explain.Cause || e.Role == explain.Wrapper || e.Role == explain.Foreign
			if names && e.Why == "" && table.Runtime != "" {
				t.Errorf("%s: no why", e.ID)
			}
			own := strings.HasPrefix(string(e.Code), "GRPC_") || strings.HasPrefix(string(e.Code), "HTTP_") || e.Code == "NOT_CLIENT_SIDE"
			if names && e.Code != "" && !own && !slices.Contains(codes, e.Code) {
				t.Errorf("%s: unknown code %s", e.ID, e.Code)
			}
			for _, p := range []classifier.Phase{e.Phase, e.Usually} {
				if p != "" && !slices.Contains(phases, p) {
					t.Errorf("%s: unknown phase %s", e.ID, p)
				}
			}
			if e.Syscall != "" && !slices.Contains(calls, e.Syscall) {
				t.Errorf("%s: unknown syscall %s", e.ID, e.Syscall)
			}
			for _, m := range append(slices.Clone(e.Match), table.Marks...) {
				for _, l := range strings.Split(strings.TrimLeft(m, "!~"), "|") {
					if n := len(strings.Trim(l, "*")); n < 4 {
						t.Errorf("%s: %q is too short to be found", e.ID, l)
					}
				}
			}
		}
	}
}

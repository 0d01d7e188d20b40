package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// engineLab is testLab with a group on request, which shares a column's name
// with charge.
func engineLab(t *testing.T) (l lab, dir string, ran *[]string) {
	t.Helper()
	l, dir = testLab(t, testResult())
	l.groups = append(l.groups, scenarios.Group{
		ID: "quiet", Title: "asked for or not at all", OnRequest: true,
		Columns: []scenarios.Column{{Name: "charges", Numeric: true, Words: []string{""}}},
		Rows:    []scenarios.RowDef{{ID: "quiet/fault/get", Case: &scenarios.Case{ID: "quiet/fault/get", Title: "a fault"}}},
	})
	res := testResult()
	res.Groups = append(res.Groups, scenarios.GroupResult{
		Group: l.groups[2], Complete: true, Rows: []scenarios.Row{testRow(l.groups[2].Rows[0], map[string]string{"charges": ""})},
	})
	ran = &[]string{}
	l.run = func(_ context.Context, _ scenarios.Runner, sel []scenarios.Selection) (scenarios.Result, error) {
		*ran = nil
		for _, s := range sel {
			*ran = append(*ran, s.Group.ID)
		}
		return selected(res, sel), nil
	}
	return l, dir, ran
}

func TestAGroupOnRequestRunsWhereItIsAskedFor(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"all", "network charge"},
		{"check", "network charge"},
		{"golden diff", "network charge"},
		{"all --engine", "network charge quiet"},
		{"run quiet", "quiet"},
		{"check quiet", "quiet"},
		{"golden update quiet --golden DIR", "quiet"},
		{"run quiet/fault/get charge", "charge quiet"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			l, dir, ran := engineLab(t)
			invoke(t, l, "", strings.Fields(strings.ReplaceAll(tt.args, "DIR", dir))...)
			if got := strings.Join(*ran, " "); got != tt.want {
				t.Errorf("ran %q, want %q", got, tt.want)
			}
		})
	}
}

// Its table is no orphan where it does not run, and one without a group is one
// also with --engine.
func TestAllLooksForTablesWithoutAGroupWhateverRuns(t *testing.T) {
	l, dir, _ := engineLab(t)
	if got := invoke(t, l, "", "golden", "update", "network", "charge", "quiet", "--golden", dir); got.code != exitOK {
		t.Fatalf("golden update: %+v", got)
	}
	for _, args := range [][]string{{"all"}, {"all", "--engine"}} {
		if got := invoke(t, l, "", args...); got.code != exitOK {
			t.Errorf("%q: %+v, want all to agree", args, got)
		}
	}
	table, err := os.ReadFile(filepath.Join(dir, "linux", "quiet.md"))
	if err != nil {
		t.Fatal(err)
	}
	orphan := strings.ReplaceAll(string(table), "quiet", "gone")
	if err := os.WriteFile(filepath.Join(dir, "linux", "gone.md"), []byte(orphan), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"all"}, {"all", "--engine"}} {
		if got := invoke(t, l, "", args...); got.code != exitDiffers || !strings.Contains(got.stdout, "gone/fault/get") {
			t.Errorf("%q: exit %d, want the table without a group to be drift:\n%s", args, got.code, got.stdout)
		}
	}
}

func TestListMarksAGroupOnRequest(t *testing.T) {
	l, _, _ := engineLab(t)
	for _, tt := range []struct {
		args string
		rows bool // of the group on request
	}{{"list", false}, {"list quiet", true}, {"list -o markdown", false}, {"list -o markdown quiet", true}} {
		got := invoke(t, l, "", strings.Fields(tt.args)...)
		said := oneLine(got.stdout)
		if !strings.Contains(said, "quiet: asked for or not at all (on request, 1 row: retry-lab list quiet)") || strings.Contains(said, "quiet/fault/get") != tt.rows {
			t.Errorf("%s: rows wanted: %v\n%s", tt.args, tt.rows, got.stdout)
		}
	}
	if got := invoke(t, l, "", "list", "-o", "json"); !strings.Contains(got.stdout, `"on_request": true`) || !strings.Contains(got.stdout, `"id": "quiet/fault/get"`) {
		t.Errorf("json:\n%s", got.stdout)
	}
}

func TestOneColumnOfTwoGroupsAllowsWhatEitherSays(t *testing.T) {
	free, words := scenarios.Column{Name: "attempts"}, scenarios.Column{Name: "attempts", Numeric: true}
	group := func(c scenarios.Column) scenarios.Group {
		return scenarios.Group{ID: "g", Columns: []scenarios.Column{c}}
	}
	for _, groups := range [][]scenarios.Group{{group(free), group(words)}, {group(words), group(free)}} {
		if rule := vocabulary(groups)["attempts"]; rule.Words != nil || rule.Pattern != nil {
			t.Errorf("one group has any text there, and yet only %v is allowed", rule)
		}
	}
	a, b := scenarios.Column{Name: "x", Words: []string{"yes"}}, scenarios.Column{Name: "x", Words: []string{"no"}, Numeric: true}
	rule := vocabulary([]scenarios.Group{group(a), group(b)})["x"]
	if want := (golden.Rule{Words: []string{"yes", "no"}, Pattern: wholeNumber}); rule.String() != want.String() {
		t.Errorf("%v, want %v", rule, want)
	}
}

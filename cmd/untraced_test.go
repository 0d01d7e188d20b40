package cmd

import (
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/scenarios"
)

// networkReport is a report with one group, with or without the column
// untraced.
func networkReport(with bool, text string) Report {
	g := &testResult().Groups[0]
	if with {
		g.Group.Columns = slices.Insert(g.Group.Columns, len(g.Group.Columns)-1, scenarios.Column{Name: untraced})
		setCell(&g.Rows[1], untraced, text)
	}
	r := newReport()
	r.Groups = []Group{newGroup(*g, expectation{file: "golden/linux/network.md"}, false)}
	return r
}

func TestWhatTheErrorAloneTellsIsLeftOutOfTheTableOnly(t *testing.T) {
	const text = "unknown, maybe, no"
	for name, f := range renderers() {
		out := render(t, f, networkReport(true, text))
		switch {
		case strings.HasPrefix(name, "table"):
			if without := render(t, f, networkReport(false, "")); out != without {
				t.Errorf("%s: the column changes the table:\n%s\nwithout it:\n%s", name, out, without)
			}
		case name == "verbose.txt" || name == "report.json" || name == "report.md":
			if !strings.Contains(out, text) {
				t.Errorf("%s has no %q:\n%s", name, text, out)
			}
		}
	}
}

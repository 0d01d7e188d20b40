package main

import (
	"fmt"
	"slices"
)

// An audited is a case of an audit's report.
type audited struct{ ID, Verdict, Observed string }

// differing compares the cases of an audit with those of the first: there is no
// other truth about a client than that it does the same again.
func differing(first, cases []audited) []string {
	var lines []string
	for _, want := range first {
		i := slices.IndexFunc(cases, func(c audited) bool { return c.ID == want.ID })
		switch {
		case i < 0:
			lines = append(lines, want.ID+": not in the report")
		case cases[i].Verdict != want.Verdict:
			lines = append(lines, fmt.Sprintf("%s verdict: first %q (%s), now %q (%s)",
				want.ID, want.Verdict, want.Observed, cases[i].Verdict, cases[i].Observed))
		}
	}
	return lines
}

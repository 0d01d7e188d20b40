package cmd

import (
	"fmt"
	"strings"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// reportSchema is the version of the JSON contract. A field may be added
// without a new one; nothing is renamed or removed.
const reportSchema = 1

// A Report is a finished run, ready for any renderer. Its JSON form is a
// contract. Texts are as they came: a renderer escapes what it prints.
type Report struct {
	Schema    int              `json:"schema"`
	Env       Env              `json:"env"`
	Groups    []Group          `json:"groups"`
	Sound     scenarios.Sound  `json:"sound"`
	Useful    scenarios.Useful `json:"useful"`
	ElapsedMS float64          `json:"elapsed_ms"`

	// Strict: judged by classifier.Policy.Strict. RequireAll: what is missing
	// or skipped fails the run.
	Strict     bool `json:"-"`
	RequireAll bool `json:"-"`

	// Broken says why the lab could not run; there are no groups then. The
	// formats that a machine reads in CI say so too.
	Broken string `json:"-"`
}

// Env is where a report was made.
type Env struct {
	OS      string `json:"os"`      // runtime.GOOS
	Arch    string `json:"arch"`    // runtime.GOARCH
	Kernel  string `json:"kernel"`  // its release; empty where it cannot be asked
	Go      string `json:"go"`      // runtime.Version
	Version string `json:"version"` // of retry-lab; "(devel)" for an unreleased build
}

// What a group's comparison with its golden table came to.
const (
	goldenMatch   = "match"
	goldenDrift   = "drift"
	goldenMissing = "missing" // there is no table for this platform
	goldenSkipped = "skipped" // nothing was compared: no row ran, or the run was strict
)

// A Group is one group's rows and their comparison with its golden table.
type Group struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"`
	ElapsedMS float64         `json:"elapsed_ms"` // its slowest case
	Golden    string          `json:"golden"`     // match, drift, missing or skipped
	Rows      []scenarios.Row `json:"rows"`
	Drift     []golden.Drift  `json:"drift"`

	Columns []string `json:"-"` // of its table, in order
	File    string   `json:"-"` // of its golden table, also where there is none
}

// counts are the figures that a verdict of the run is made of.
type counts struct {
	groups, rows, skipped, notSeen int
	missing, compared              int // groups
	drifts                         int
}

func (r Report) counts() counts {
	var n counts
	for _, g := range r.Groups {
		n.groups++
		n.drifts += len(g.Drift)
		switch g.Golden {
		case goldenMissing:
			n.missing++
		case goldenMatch, goldenDrift:
			n.compared++
		}
		for _, row := range g.Rows {
			n.rows++
			switch {
			case row.Skipped != "":
				n.skipped++
			case row.NotSeen:
				n.notSeen++
			}
		}
	}
	return n
}

// exitCode is what the run comes to. What differs counts before what is
// lacking: it is the finding, the other a reason to look no further.
func (r Report) exitCode() int {
	if r.Broken != "" {
		return exitBroken
	}
	code := exitOK
	for _, f := range r.findings() {
		if !f.lacking {
			return exitDiffers
		}
		code = exitBroken
	}
	if r.counts().drifts > 0 {
		return exitDiffers
	}
	return code
}

// A finding is what fails a run besides drift.
type finding struct {
	row, kind, text string
	lacking         bool // something could not be looked at; else it was, and is wrong
}

func (r Report) findings() []finding {
	var list []finding
	for _, b := range r.Sound.Unsafe {
		list = append(list, finding{row: b.Row, kind: "unsound verdict", text: fmt.Sprintf("attempt %d: %s", b.Attempt, b.Why)})
	}
	if r.Strict {
		for _, b := range r.Sound.RefutedClaims {
			list = append(list, finding{row: b.Row, kind: "refuted claim", text: fmt.Sprintf("attempt %d: %s", b.Attempt, b.Why)})
		}
	}
	if !r.RequireAll {
		return list
	}
	for _, g := range r.Groups {
		if g.Golden == goldenMissing {
			list = append(list, finding{row: g.ID, kind: "missing golden table", text: "there is no " + g.File, lacking: true})
		}
		for _, row := range g.Rows {
			if row.Skipped != "" {
				list = append(list, finding{row: row.ID, kind: "skipped", text: row.Skipped, lacking: true})
			}
		}
	}
	return list
}

// verdict is exitCode in words.
func (r Report) verdict() string {
	if r.Broken != "" {
		return "the lab could not run: " + r.Broken
	}
	n := r.counts()
	var bad, note []string
	bad = appendIf(bad, n.drifts > 0, "%s from the golden tables", differ(n.drifts))
	bad = appendIf(bad, len(r.Sound.Unsafe) > 0, "%s", plural(len(r.Sound.Unsafe), "unsound verdict"))
	bad = appendIf(bad, r.Strict && len(r.Sound.RefutedClaims) > 0, "%s, strictly judged", plural(len(r.Sound.RefutedClaims), "refuted claim"))
	bad = appendIf(bad, r.RequireAll && n.missing > 0, "%s without a golden table", plural(n.missing, "group"))
	bad = appendIf(bad, r.RequireAll && n.skipped > 0, "%s skipped", plural(n.skipped, "row"))

	note = appendIf(note, !r.RequireAll && n.skipped > 0, "%s skipped", plural(n.skipped, "row"))
	note = appendIf(note, n.notSeen > 0, "%s not seen this time", plural(n.notSeen, "row"))
	note = appendIf(note, !r.RequireAll && n.missing > 0, "%s without a golden table", plural(n.missing, "group"))
	if len(bad) == 0 {
		return strings.Join(append([]string{r.agreement(n)}, note...), ", ")
	}
	return strings.Join(append(bad, note...), ", ")
}

func (r Report) agreement(n counts) string {
	rows := plural(n.rows, "row") + " in " + plural(n.groups, "group")
	switch {
	case r.Strict:
		return rows + ", strictly judged and not compared"
	case n.compared == 0:
		return rows + ", nothing to compare with"
	}
	return rows + ", all as in the golden tables"
}

func differ(n int) string {
	if n == 1 {
		return "1 cell differs"
	}
	return fmt.Sprintf("%d cells differ", n)
}

func appendIf(list []string, when bool, format string, args ...any) []string {
	if !when {
		return list
	}
	return append(list, fmt.Sprintf(format, args...))
}

// plural counts things whose plural is regular.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

package cmd

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/audit"
)

// auditRenderer finds the renderer of a format for an audit that fails at the
// verdict least.
func auditRenderer(format string, v view, least audit.Verdict) func(io.Writer, audit.Report) error {
	switch format {
	case "json":
		return func(w io.Writer, r audit.Report) error { return writeJSON(w, r, "  ") }
	case "markdown":
		return renderAuditMarkdown
	case "junit":
		return renderAuditJUnit(least)
	case "github":
		return renderAuditGitHub(least)
	}
	return renderAuditTable(v)
}

// renderAuditTable prints a report card for a person: the sum and what holds
// for all cases, a row a case with the dangers first, the proof of each that is
// not a pass, and the sum again, where a terminal has come to rest.
func renderAuditTable(v view) func(io.Writer, audit.Report) error {
	return func(w io.Writer, r audit.Report) error {
		var b bytes.Buffer
		v.lines(&b, "", fmt.Sprintf("audit of %s: %s", safe(r.Client), auditSum(r)))
		v.lines(&b, "command  ", commandLine(r.Command))
		for _, note := range r.Notes {
			v.lines(&b, "note     ", safe(note))
		}
		if !r.Usable { // every row would say the same
			_, err := w.Write(b.Bytes())
			return err
		}
		b.WriteByte('\n')
		if err := v.auditGrid(r).write(&b, v.width); err != nil {
			return err
		}
		b.WriteByte('\n')
		for _, c := range byVerdict(r.Cases) {
			if c.Verdict.Worse(audit.Pass) || v.verbose && len(c.Ledger) > 0 {
				v.finding(&b, c)
			}
		}
		v.profile(&b, r)
		for _, d := range r.Improved {
			v.entry(&b, "improved", "", driftText(d))
		}
		for _, d := range r.Drift {
			v.entry(&b, "drift", "", driftText(d))
		}
		v.entry(&b, "verdict", "", auditSum(r))
		_, err := w.Write(b.Bytes())
		return err
	}
}

// byVerdict is cases with the worst first, and else in their order.
func byVerdict(cases []audit.Result) []audit.Result {
	out := slices.Clone(cases)
	slices.SortStableFunc(out, func(a, b audit.Result) int {
		switch {
		case a.Verdict.Worse(b.Verdict):
			return -1
		case b.Verdict.Worse(a.Verdict):
			return 1
		}
		return 0
	})
	return out
}

func (v view) auditGrid(r audit.Report) grid {
	g := grid{header: []string{"case", "verdict", "expected", "observed"}, prose: map[int]int{2: 18, 3: 24}}
	for _, c := range byVerdict(r.Cases) {
		g.rows = append(g.rows, []string{c.ID, verdictCell(c), safe(c.Expected), safe(c.Observed)})
	}
	g.paint = func(column int, cell string) string {
		if column != 1 {
			return cell
		}
		return v.palette.word(cell)
	}
	return g
}

// verdictCell is a verdict with the mark of a run that was cut.
func verdictCell(c audit.Result) string {
	if c.Cut {
		return string(c.Verdict) + " (cut)"
	}
	return string(c.Verdict)
}

// finding is a case with what proves its verdict; where nothing bad was done,
// the proof is for those who ask for it (-v).
func (v view) finding(b *bytes.Buffer, c audit.Result) {
	v.lines(b, "", fmt.Sprintf("%s %s: %s", v.palette.word(string(c.Verdict)), c.ID, safe(c.Observed)))
	if v.verbose || c.Verdict.Worse(audit.Weak) {
		for _, d := range c.Ledger[:min(len(c.Ledger), 6)] {
			v.lines(b, "    ", safe(ledgerLine(d)))
		}
		if more := c.Deliveries - 6; more > 0 && len(c.Ledger) > 0 {
			v.lines(b, "    ", fmt.Sprintf("and %d more", more))
		}
	}
	if c.Fix != "" {
		v.lines(b, "    change: ", safe(c.Fix))
	}
	b.WriteByte('\n')
}

// ledgerLine is one delivery in a line.
func ledgerLine(d audit.Delivery) string {
	parts := []string{fmt.Sprintf("%8.1f ms  #%d %s %s", d.AtMS, d.N, d.Method, d.Proto), string(d.Kind)}
	connection := fmt.Sprintf("connection %d", d.Connection)
	if d.Reused {
		connection += " reused"
	}
	parts = append(parts, connection, fmt.Sprintf("%d bytes", d.BodyBytes))
	if d.Key != "" {
		parts = append(parts, "key "+d.Key)
	}
	if !d.Complete {
		parts = append(parts, "incomplete")
	}
	if d.Committed {
		parts = append(parts, "committed")
	}
	answer := "not answered"
	if d.Answered != 0 {
		answer = fmt.Sprint(d.Answered)
		if !d.AnsweredAll {
			answer += " cut off"
		}
	}
	return strings.Join(append(parts, answer, d.Ended), ", ")
}

// profile is the facts of a policy.
func (v view) profile(b *bytes.Buffer, r audit.Report) {
	if !r.Usable {
		return
	}
	p := r.Profile
	text := fmt.Sprintf("starts in %s ms", number(p.StartMS))
	if p.HTTP2 {
		text += ", speaks HTTP/2"
	}
	if p.Deliveries > 0 {
		text += fmt.Sprintf("; always failing: %d deliveries, median gaps %s ms", p.Deliveries, numbers(p.MedianGaps))
		if len(p.MedianGaps) > 0 {
			text += fmt.Sprintf(", growth %.1f, longest %s ms, jitter %.1f of the gap", p.Growth, number(p.CapMS), p.Jitter)
		}
	}
	v.entry(b, "facts", "", text)
}

func numbers(list []float64) string {
	var parts []string
	for _, n := range list {
		parts = append(parts, number(n))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

// auditSum is the sum of a report in a line.
func auditSum(r audit.Report) string {
	if !r.Usable {
		return "nothing could be asked"
	}
	var parts []string
	for _, s := range r.Summary {
		parts = append(parts, fmt.Sprintf("%d %s", s.Cases, s.Verdict))
	}
	if n := len(r.Drift); n > 0 {
		parts = append(parts, fmt.Sprintf("%d not as in the baseline", n))
	}
	text := strings.Join(parts, ", ") + fmt.Sprintf(", in %.1f s", r.ElapsedMS/1000)
	if r.Quick {
		text += " (quick)"
	}
	return text
}

// commandLine shows a command, safe, quoted as a shell would need it, and not
// longer than a person reads.
func commandLine(command []string) string {
	var parts []string
	for _, a := range command {
		a = upTo(safe(a), mostWord)
		if a == "" || strings.ContainsAny(a, " \t\"'$`\\&|;<>()*?[]#~!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		parts = append(parts, a)
	}
	return upTo(strings.Join(parts, " "), mostSaid)
}

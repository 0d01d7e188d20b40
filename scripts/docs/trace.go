package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed intro_trace.md
var traceIntro string

// trace is the page docs/trace.md.
func (l lab) trace() string {
	var b strings.Builder
	b.WriteString(madeBy + traceIntro)
	var verdict, phase, same, wrong []row
	for _, r := range l.own() {
		a := r.alone()
		switch {
		case len(a) == 0:
			continue
		case slices.ContainsFunc(a, func(u untraced) bool { return u.refuted }):
			wrong = append(wrong, r)
		case slices.ContainsFunc(a, func(u untraced) bool { return u.post != r.text("post") }):
			verdict = append(verdict, r)
		case slices.ContainsFunc(a, func(u untraced) bool { return !r.shows(u) }):
			phase = append(phase, r)
		default:
			same = append(same, r)
		}
	}
	compared(&b, "verdict", "Where the trace changes the verdict", "Without it a bare POST is withheld that could have been sent again.", verdict)
	compared(&b, "phase", "Where it tells more, and the verdict stays", "Where the request was, or that the work is done, is worth knowing too: it says what to look at.", phase)
	refutedRows(&b, wrong)
	mark(&b, "same")
	b.WriteString("## Where the error, or the answer, says as much\n\n")
	listed(&b, same)
	return b.String()
}

// An untraced judgement is one value of the column of that name.
type untraced struct {
	phase, processed, post string
	refuted                bool // by the server's ledger
}

// alone are the judgements without a trace; none where the group has no such
// column.
func (r row) alone() []untraced {
	var list []untraced
	for _, v := range r.values("untraced") {
		w := append(strings.Split(v, ", "), "", "", "", "")
		list = append(list, untraced{w[0], w[1], w[2], w[3] == "refuted"})
	}
	return list
}

// shows: with the trace it is the same.
func (r row) shows(u untraced) bool {
	return slices.Contains(r.values("phase"), u.phase) && slices.Contains(r.values("processed"), u.processed) && r.text("post") == u.post
}

// compared is a table of rows with both judgements.
func compared(b *strings.Builder, id, title, why string, list []row) {
	mark(b, id)
	fmt.Fprintf(b, "## %s\n\n%s\n\n", title, why)
	var rows [][]string
	for _, r := range list {
		with := fmt.Sprintf("%s, %s, %s", r.text("phase"), r.text("processed"), r.text("post"))
		rows = append(rows, []string{link("matrix.md", r.id), escape(r.text("code")), escape(with), escape(r.text("untraced"))})
	}
	if len(rows) == 0 {
		b.WriteString("None.\n\n")
		return
	}
	table(b, []string{"row", "code", "with a trace", "without"}, rows...)
}

// refutedRows lists where the error alone allows what the ledger forbids.
func refutedRows(b *strings.Builder, list []row) {
	mark(b, "refuted")
	b.WriteString("## Where the verdict without a trace is still bolder than the truth\n\n" +
		"A bare POST would be sent again, and by the ledger the first one had been acted on.\n\n")
	for _, r := range list {
		why := "only the trace tells."
		if r.text("post") != "no" {
			why = "no trace can tell, because the answer itself is not true; only `--strict` does not believe it."
		}
		fmt.Fprintf(b, "- %s: %s: %s\n", link("matrix.md", r.id), escape(r.c.Title), why)
	}
	if len(list) == 0 {
		b.WriteString("None.\n")
	}
	b.WriteByte('\n')
}

// listed is a list of rows, a line for each group.
func listed(b *strings.Builder, list []row) {
	group := ""
	for _, r := range list {
		own, _, _ := strings.Cut(r.id, "/")
		switch {
		case own == group:
			b.WriteString(", ")
		case group == "":
			b.WriteString("- ")
		default:
			b.WriteString("\n- ")
		}
		group = own
		b.WriteString(link("matrix.md", r.id))
	}
	if len(list) == 0 {
		b.WriteString("Nowhere.")
	}
	b.WriteByte('\n')
}

package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

const madeBy = "<!-- Made by `make docs` from the golden tables and the cases' definitions. Do not edit. -->\n\n"

//go:embed intro_matrix.md
var matrixIntro string

// systemName is a platform's name as people write it.
func systemName(platform string) string {
	switch platform {
	case "linux":
		return "Linux"
	case "darwin":
		return "macOS"
	case "windows":
		return "Windows"
	}
	return escape(platform)
}

// matrix is the page docs/matrix.md.
func (l lab) matrix() string {
	var b strings.Builder
	b.WriteString(madeBy)
	b.WriteString(strings.NewReplacer("SYSTEM", systemName(l.platform), "PLATFORM", l.platform).Replace(matrixIntro))
	for _, g := range l.groups {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", escape(g.ID), anchor(g.ID), escape(g.Title))
	}
	b.WriteByte('\n')
	l.byCode(&b)
	l.byMessage(&b)
	for _, g := range l.groups {
		mark(&b, g.ID)
		fmt.Fprintf(&b, "## %s\n\n%s. Source: %s.\n\n", escape(g.ID), escape(g.Title), escape(g.Source))
		for _, r := range g.rows {
			l.section(&b, g, r)
		}
	}
	l.words(&b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// section is one row.
func (l lab) section(b *strings.Builder, g group, r row) {
	mark(b, r.id)
	fmt.Fprintf(b, "### %s\n\n", escape(r.id))
	if r.home != r.id {
		fmt.Fprintf(b, "The same case as %s.\n\n", link("", r.home))
		return
	}
	what := "What happens"
	if r.part != "" {
		what += ", outcome " + code(r.part)
	}
	fmt.Fprintf(b, "**%s:** %s. Source: %s.\n\n", what, escape(r.c.Title), escape(r.c.Source))
	if r.cells == nil {
		b.WriteString("Not seen: it did not occur, or could not run, where the tables were recorded.\n\n")
	} else {
		r.table(b, g)
	}
	for _, line := range l.lines(r) {
		fmt.Fprintf(b, "- **%s:** %s\n", line.label, line.text)
	}
	b.WriteByte('\n')
}

// texts are the columns that are too long for a table, with their labels.
var texts = []struct{ column, label string }{
	{"message", "The client logs"}, {"attempts", "Its attempts"}, {"believes", "It believes"},
	{"proxy_status", "Proxy-Status"}, {"note", "Of the answer"},
}

// beside: the column is not one of the table's.
func beside(column string) bool {
	for _, t := range texts {
		if t.column == column {
			return true
		}
	}
	return column == "reason" || column == "untraced"
}

func (r row) table(b *strings.Builder, g group) {
	var header, cells []string
	for _, c := range g.Columns {
		if !beside(c.Name) {
			header, cells = append(header, title(c.Name)), append(cells, escape(r.text(c.Name)))
		}
	}
	table(b, header, cells)
}

// title is a column's name, but the verdicts' as requests are written.
func title(column string) string {
	switch column {
	case "get", "post":
		return strings.ToUpper(column)
	case "post_key":
		return "POST+KEY"
	}
	return escape(column)
}

type line struct{ label, text string }

// lines are what is said of a row under its cells.
func (l lab) lines(r row) []line {
	var list []line
	for _, t := range texts {
		var said []string
		for _, text := range r.values(t.column) {
			if text != "" {
				said = append(said, code(text))
			}
		}
		if len(said) > 0 {
			list = append(list, line{t.label, strings.Join(said, " or ")})
		}
	}
	if r.judged != nil {
		list = append(list, line{"It means", meaning(r.judged.reasons)}, line{"Do", r.judged.advice()})
	}
	if r.betrayed() {
		list = append(list, line{"But", "here that word is not true: by its ledger the server had acted on it. " + code("--strict") + " does not take it"})
	}
	if alone := r.alone(); slices.ContainsFunc(alone, func(u untraced) bool { return !r.shows(u) }) {
		list = append(list, line{"Without a trace", escape(r.text("untraced")) + " (phase, processed, POST; [why](trace.md))"})
	}
	if others := l.outcomes(r); len(others) > 0 {
		list = append(list, line{"Its other outcomes", strings.Join(others, ", ")})
	}
	for _, id := range l.pairs(r) {
		if other, ok := l.find(id); ok {
			list = append(list, line{"Its double", compare(r, other)})
		}
	}
	if r.c.Needs != "" {
		list = append(list, line{"It needs", escape(r.c.Needs)})
	}
	return append(list, line{"See it", code("retry-lab run " + r.id + " -v")})
}

// betrayed: a bare POST may be sent again by what the server says, and was acted
// on by what the server did.
func (r row) betrayed() bool {
	return r.text("post") != "no" && slices.ContainsFunc(r.values("saw"), func(s string) bool { return strings.HasSuffix(s, "committed") })
}

// meaning is each reason in a sentence.
func meaning(reasons []classifier.Reason) string {
	var list []string
	for _, r := range reasons {
		list = append(list, fmt.Sprintf("%s (%s; %s)", escape(r.Sentence()), escape(string(r)), escape(r.Source())))
	}
	return strings.Join(list, "; or ")
}

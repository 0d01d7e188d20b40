package main

import (
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// verdicts are what the classifier says of a request, in plain words.
var verdicts = map[classifier.Verdict]string{
	classifier.Done:          "it worked, there is nothing to send again",
	classifier.Retry:         "send the same bytes again, after the wait",
	classifier.RetryModified: "send it once more, with one named thing changed",
	classifier.Ambiguous:     "it may have worked: find out first",
	classifier.Fail:          "it would fail again, or the work is done and only the answer is lost: do not send it again",
	classifier.Stop:          "it might work, but the wait, the deadline, the budget or the caller forbids it",
}

// others are the words that are no column's and no verdict.
var others = [][]string{
	{"phase `unknown`", "without a trace the error does not tell how far the request had come"},
	{"`A or B`", "the same fault shows itself in either way, the kernel or the scheduler draws"},
	{"`1..5`", "any integer from the first to the last"},
	{"`-`", "empty: there is no such thing here"},
	{"not seen", "the row is one outcome of a fault that has others, and it did not come up; that is no drift"},
}

// words explains the columns, the verdicts, and what else a cell can hold.
func (l lab) words(b *strings.Builder) {
	mark(b, "words")
	b.WriteString("## Words\n\nThe columns:\n\n")
	table(b, []string{"column", "in", "says"}, l.columns()...)
	b.WriteString("The verdicts, as `retry-lab classify` and `-o json` name them. In a cell, retry is yes, retry-modified is modified, " +
		"and each other is no:\n\n")
	var rows [][]string
	for _, v := range classifier.Verdicts() {
		rows = append(rows, []string{escape(string(v)), verdicts[v]})
	}
	table(b, []string{"verdict", "means"}, rows...)
	b.WriteString("And:\n\n")
	table(b, []string{"word", "means"}, others...)
}

// columns are a row for each column: its name, the groups, what a cell says.
func (l lab) columns() [][]string {
	const few = 3
	var rows [][]string
	var in [][]string
	for _, g := range l.groups {
		for _, c := range g.Columns {
			at := slices.IndexFunc(rows, func(r []string) bool { return r[0] == title(c.Name) })
			if at < 0 {
				at = len(rows)
				rows, in = append(rows, []string{title(c.Name), "", escape(c.Meaning)}), append(in, nil)
			}
			in[at] = append(in[at], link("", g.ID))
		}
	}
	for i := range rows {
		rows[i][1] = "most groups"
		if len(in[i]) <= few {
			rows[i][1] = strings.Join(in[i], ", ")
		}
	}
	return rows
}

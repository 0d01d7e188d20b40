package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"

	"github.com/retry-lab/retry-lab/explain"
)

// printSummary prints what a log holds; as ndjson it was printed already.
func (a *app) printSummary(s *explain.Summary, format string) error {
	var b bytes.Buffer
	switch format {
	case "ndjson":
		return nil
	case "json":
		return writeJSON(a.stdout, s, "  ")
	case "markdown":
		writeSummaryMarkdown(&b, s)
	default:
		v := view{palette: a.palette(), width: a.width()}
		if err := v.logSummary(&b, s); err != nil {
			return err
		}
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

// summaryHeader are the columns of a log's failures. The verdict is that of the
// group's example.
var summaryHeader = []string{"count", "POST safe", "code", "phase", "runtime", "host", "first", "last", "example"}

const exampleColumn = 8

// summaryRow is a group, in safe texts. between stands between day and time.
func summaryRow(g *explain.Group, between string) []string {
	return []string{
		strconv.FormatInt(g.Count, 10), strconv.FormatInt(g.SafePost, 10), string(g.Code), string(g.Phase),
		cmp.Or(safe(g.Runtime), "-"), cmp.Or(safe(g.Host), "-"), timeText(g.First, between), timeText(g.Last, between),
		upTo(safe(g.Example.Text), mostExample),
	}
}

// wideSummary is how many columns a table needs for two times on one line.
const wideSummary = 120

// logSummary prints the groups as a table, and under it an example of each with
// its answer.
func (v view) logSummary(b *bytes.Buffer, s *explain.Summary) error {
	if len(s.Groups) > 0 {
		between := " "
		if v.width < wideSummary {
			between = "\n"
		}
		g := grid{header: summaryHeader[:exampleColumn], right: []int{0, 1}}
		for i := range s.Groups {
			g.rows = append(g.rows, summaryRow(&s.Groups[i], between)[:exampleColumn])
		}
		if err := g.write(b, v.width); err != nil {
			return err
		}
		b.WriteString("\n")
		for i := range s.Groups {
			x := &s.Groups[i].Example
			v.headline(b, "", answerWords(&x.Answer))
			v.lines(b, "  ", upTo(safe(x.Text), mostExample))
		}
		b.WriteString("\n")
	}
	v.lines(b, "", summaryText(s))
	return nil
}

// mostExample is how much of a record stands in the summary, in runes.
const mostExample = 240

func summaryText(s *explain.Summary) string {
	if s.Records == 0 {
		return "no failure found in " + size(s.Bytes)
	}
	return fmt.Sprintf("%s in %s; %d of them safe to send again as a bare POST; %s read",
		plural(int(s.Records), "failure"), plural(len(s.Groups), "group"), s.SafePost, size(s.Bytes))
}

func writeSummaryMarkdown(b *bytes.Buffer, s *explain.Summary) {
	var rows [][]string
	for i := range s.Groups {
		row := summaryRow(&s.Groups[i], " ")
		for i := range row {
			row[i] = markdownEscapes.Replace(row[i])
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		writeMarkdownTable(b, summaryHeader, rows)
		b.WriteString("\n")
	}
	b.WriteString(summaryText(s) + "\n")
}

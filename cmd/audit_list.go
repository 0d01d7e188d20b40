package cmd

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/audit"
)

// A listedQuestion is a case in `audit list -o json`.
type listedQuestion struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Expected string `json:"expected"`
	Fix      string `json:"fix"`
	Control  string `json:"control"` // without a retry there a pass is vacuous; empty: none
	Runs     int    `json:"runs"`
}

func newAuditListCmd(a *app) *cobra.Command {
	var format *choice
	c := &cobra.Command{
		Use:   "list [group|case|glob]...",
		Short: "Explain the cases of audit, without running anything",
		RunE: func(_ *cobra.Command, globs []string) error {
			a.started = true
			cases, err := audit.Select(audit.Cases(), globs)
			if err != nil {
				return usageError("see 'retry-lab audit list'", "%v", err)
			}
			return a.printAuditList(format.value, listQuestions(cases))
		},
	}
	format = addFormat(c, "table", "json", "markdown")
	return c
}

func listQuestions(cases []audit.Case) []listedQuestion {
	list := []listedQuestion{}
	for _, c := range cases {
		q := listedQuestion{ID: c.ID, Title: c.Title, Expected: c.Wants, Fix: c.Fix, Runs: max(1, c.Runs)}
		if c.Control != "" {
			q.Control = "control/retries-" + c.Control
		}
		list = append(list, q)
	}
	return list
}

func (a *app) printAuditList(format string, list []listedQuestion) error {
	if format == "json" {
		return writeJSON(a.stdout, struct {
			Schema int              `json:"schema"`
			Cases  []listedQuestion `json:"cases"`
		}{reportSchema, list}, "  ")
	}
	var b bytes.Buffer
	if format == "markdown" {
		var rows [][]string
		for _, q := range list {
			rows = append(rows, []string{q.ID, markdown(q.Title), markdown(q.Expected), fmt.Sprint(q.Runs), strings.TrimPrefix(q.Control, "control/")})
		}
		writeMarkdownTable(&b, []string{"id", "what happens", "what is expected", "runs", "vacuous without a retry in"}, rows)
	} else {
		v := view{width: a.width()}
		for _, q := range list {
			v.explain(&b, q)
		}
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

// explain writes a case as a paragraph.
func (v view) explain(b *bytes.Buffer, q listedQuestion) {
	b.WriteString(q.ID)
	if q.Runs > 1 {
		fmt.Fprintf(b, " (%d runs)", q.Runs)
	}
	b.WriteByte('\n')
	v.lines(b, "  what happens  ", q.Title)
	v.lines(b, "  expected      ", q.Expected)
	if q.Fix != "" {
		v.lines(b, "  else          ", q.Fix)
	}
	if q.Control != "" {
		v.lines(b, "  vacuous       ", "of a client that does not retry in "+q.Control)
	}
	b.WriteByte('\n')
}

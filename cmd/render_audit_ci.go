package cmd

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/retry-lab/retry-lab/audit"
)

// renderAuditMarkdown prints an audit for a web page or a pull request.
func renderAuditMarkdown(w io.Writer, r audit.Report) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## Audit of %s: %s\n\n`%s`\n\n", markdown(r.Client), markdown(auditSum(r)), strings.ReplaceAll(commandLine(r.Command), "`", "'"))
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "- %s\n", markdown(note))
	}
	if len(r.Notes) > 0 {
		b.WriteByte('\n')
	}
	var rows [][]string
	for _, c := range byVerdict(r.Cases) {
		verdict := verdictCell(c)
		if c.Verdict.Worse(audit.Pass) {
			verdict = "**" + verdict + "**"
		}
		rows = append(rows, []string{c.ID, verdict, markdown(c.Expected), markdown(c.Observed), markdown(c.Fix)})
	}
	writeMarkdownTable(&b, []string{"case", "verdict", "expected", "observed", "what to change"}, rows)
	for _, d := range r.Drift {
		fmt.Fprintf(&b, "\n- **drift** %s", markdown(driftText(d)))
	}
	for _, d := range r.Improved {
		fmt.Fprintf(&b, "\n- **improved** %s", markdown(driftText(d)))
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// driftText says a difference from the baseline in a line.
func driftText(d audit.Drift) string {
	return fmt.Sprintf("%s:%d: %s: want %s, got %s", d.File, d.Line, d.ID, d.Want, d.Got)
}

// renderAuditJUnit prints an audit as JUnit XML: what fails it at this
// --fail-on is a failure, and what could not be asked is skipped.
func renderAuditJUnit(least audit.Verdict) func(io.Writer, audit.Report) error {
	return func(w io.Writer, r audit.Report) error {
		s := junitSuite{Name: "audit of " + safe(r.Client), Time: seconds(r.ElapsedMS)}
		for _, c := range r.Cases {
			s.Cases = append(s.Cases, junitAudited(c, least, r))
		}
		s.count()
		all := junitSuites{Name: "retry-lab audit", Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Skipped: s.Skipped,
			Time: seconds(r.ElapsedMS), Suites: []junitSuite{s}}
		text, err := xml.MarshalIndent(all, "", "  ")
		if err != nil {
			return fmt.Errorf("encode junit: %w", err)
		}
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
		return err
	}
}

func junitAudited(c audit.Result, least audit.Verdict, r audit.Report) junitCase {
	group, _, _ := strings.Cut(c.ID, "/")
	out := junitCase{Classname: group, Name: c.ID, Time: seconds(lastMS(c))}
	drift := ""
	for _, d := range r.Drift {
		if d.ID == c.ID {
			drift = driftText(d)
		}
	}
	switch {
	case c.Verdict == audit.NA && !r.Usable:
		out.Error = &junitProblem{Message: safe(c.Observed), Type: "broken"}
	case fails(c.Verdict, least):
		out.Failure = &junitProblem{Message: safe(c.Observed), Type: string(c.Verdict), Text: safe(c.Fix) + "\n"}
	case drift != "":
		out.Failure = &junitProblem{Message: safe(drift), Type: "drift"}
	case c.Verdict == audit.NA:
		out.Skipped = &junitProblem{Message: safe(c.Observed)}
	}
	return out
}

// lastMS is when the last delivery of the run that shows a verdict came.
func lastMS(c audit.Result) float64 {
	if len(c.Ledger) == 0 {
		return 0
	}
	return c.Ledger[len(c.Ledger)-1].AtMS
}

// renderAuditGitHub prints what is not as expected as workflow commands of
// GitHub Actions: what fails the audit as errors.
func renderAuditGitHub(least audit.Verdict) func(io.Writer, audit.Report) error {
	return func(w io.Writer, r audit.Report) error {
		var b bytes.Buffer
		fmt.Fprintln(&b, safe("audit of "+r.Client+": "+auditSum(r)))
		for _, note := range r.Notes {
			annotate(&b, "warning", note, "title", "audit of "+r.Client)
		}
		for _, c := range byVerdict(r.Cases) {
			if !c.Verdict.Worse(audit.Pass) {
				continue
			}
			level := "warning"
			if fails(c.Verdict, least) {
				level = "error"
			}
			annotate(&b, level, c.Observed+". Change: "+c.Fix, "title", string(c.Verdict)+" "+c.ID)
		}
		for _, d := range r.Drift {
			annotate(&b, "error", fmt.Sprintf("want %s, got %s", d.Want, d.Got), "file", d.File, "line", strconv.Itoa(d.Line), "title", "drift in "+d.ID)
		}
		for _, d := range r.Improved {
			annotate(&b, "notice", fmt.Sprintf("want %s, got %s", d.Want, d.Got), "file", d.File, "line", strconv.Itoa(d.Line), "title", "improved "+d.ID)
		}
		_, err := w.Write(b.Bytes())
		return err
	}
}

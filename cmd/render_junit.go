package cmd

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// The JUnit XML that CI systems read. A drift or an unsound verdict is a
// failure, a lab that could not run an error.
type junitSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     string   `xml:"time,attr"` // seconds
	Suites   []junitSuite
}

type junitSuite struct {
	XMLName    xml.Name        `xml:"testsuite"`
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property,omitempty"`
	Cases      []junitCase
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	XMLName   xml.Name      `xml:"testcase"`
	Classname string        `xml:"classname,attr"`
	Name      string        `xml:"name,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
	Skipped   *junitProblem `xml:"skipped"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// renderJUnit prints a report as JUnit XML: a suite a group, a test case a row.
func renderJUnit(w io.Writer, r Report) error {
	all := junitSuites{Name: "retry-lab", Time: seconds(r.ElapsedMS)}
	for _, g := range r.Groups {
		all.Suites = append(all.Suites, junitGroup(g))
	}
	if more := junitLab(r); len(more.Cases) > 0 {
		all.Suites = append(all.Suites, more)
	}
	for i := range all.Suites {
		s := &all.Suites[i]
		s.count()
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode junit: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func (s *junitSuite) count() {
	for _, c := range s.Cases {
		s.Tests++
		switch {
		case c.Error != nil:
			s.Errors++
		case c.Failure != nil:
			s.Failures++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
}

func junitGroup(g Group) junitSuite {
	s := junitSuite{Name: safe(g.ID), Time: seconds(g.ElapsedMS), Properties: []junitProperty{{"golden", g.Golden}}}
	drifts := map[string][]golden.Drift{}
	for _, d := range g.Drift {
		drifts[d.Row] = append(drifts[d.Row], d)
	}
	for _, row := range g.Rows {
		c := junitCase{Classname: safe(g.ID), Name: safe(row.ID), Time: seconds(rowElapsed(row)), Failure: driftProblem(drifts[row.ID])}
		delete(drifts, row.ID)
		switch {
		case row.Skipped != "":
			c.Skipped = &junitProblem{Message: safe(row.Skipped)}
		case row.NotSeen:
			c.Skipped = &junitProblem{Message: "not seen this time"}
		}
		s.Cases = append(s.Cases, c)
	}
	for _, d := range g.Drift { // golden rows without a case, columns that only one side has
		if list, ok := drifts[d.Row]; ok {
			s.Cases = append(s.Cases, junitCase{Classname: safe(g.ID), Name: safe(d.Row), Time: seconds(0), Failure: driftProblem(list)})
			delete(drifts, d.Row)
		}
	}
	return s
}

// driftProblem is the failure of a row; nil where it agrees. Readers of the
// format expect one a test case, so its text has all cells.
func driftProblem(drifts []golden.Drift) *junitProblem {
	if len(drifts) == 0 {
		return nil
	}
	p := &junitProblem{Type: "drift"}
	var messages []string
	for _, d := range drifts {
		messages = append(messages, safe(fmt.Sprintf("%s: want %s, got %s", d.Column, d.Want, d.Got)))
		p.Text += safe(d.String()) + "\n"
	}
	p.Message = strings.Join(messages, "; ")
	return p
}

// junitLab holds what is not about one group: verdicts that the ledger refutes,
// and what kept the lab from running.
func junitLab(r Report) junitSuite {
	s := junitSuite{Name: "lab", Time: seconds(0)}
	add := func(name string, c junitCase) {
		c.Classname, c.Name, c.Time = s.Name, safe(name), seconds(0)
		s.Cases = append(s.Cases, c)
	}
	if r.Broken != "" {
		add("run", junitCase{Error: &junitProblem{Message: safe(r.Broken), Type: "broken"}})
	}
	for _, f := range r.findings() {
		problem := &junitProblem{Message: safe(f.text), Type: f.kind}
		if f.lacking {
			add(f.row, junitCase{Error: problem})
		} else {
			add(f.row, junitCase{Failure: problem})
		}
	}
	return s
}

func rowElapsed(row scenarios.Row) float64 {
	if len(row.Attempts) == 0 {
		return 0
	}
	return row.Attempts[len(row.Attempts)-1].EndedMS - row.Attempts[0].StartedMS
}

func seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', 3, 64) }

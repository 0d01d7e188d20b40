package cmd

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/scenarios"
)

// renderTable prints a report for a person: a table a group, what its golden
// table says, and at the end sound, useful and the verdict of the run.
func renderTable(v view) func(io.Writer, Report) error {
	return func(w io.Writer, r Report) error {
		var buf bytes.Buffer
		for _, g := range r.Groups {
			if err := v.group(&buf, g); err != nil {
				return err
			}
		}
		v.summary(&buf, r)
		_, err := w.Write(buf.Bytes())
		return err
	}
}

func (v view) group(w *bytes.Buffer, g Group) error {
	v.lines(w, "", fmt.Sprintf("%s: %s", g.ID, safe(g.Title)))
	w.WriteByte('\n')
	if err := v.cells(w, g); err != nil {
		return err
	}
	w.WriteByte('\n')
	v.notes(w, g)
	w.WriteByte('\n')
	if !v.verbose {
		return nil
	}
	for _, row := range g.Rows {
		if err := v.timeline(w, row); err != nil {
			return err
		}
	}
	return nil
}

// notes are the lines under a group's table.
func (v view) notes(w *bytes.Buffer, g Group) {
	for _, row := range g.Rows {
		switch {
		case row.Skipped != "":
			v.lines(w, "  ", fmt.Sprintf("skipped %s: %s", row.ID, safe(row.Skipped)))
		case row.NotSeen:
			v.lines(w, "  ", fmt.Sprintf("not seen %s: the outcome that this row stands for did not occur this time", row.ID))
		}
	}
	v.lines(w, "", fmt.Sprintf("golden: %s (%s)  ·  slowest case: %s ms", g.Golden, safe(g.File), number(g.ElapsedMS)))
	for _, d := range g.Drift {
		first, rest, _ := strings.Cut(safe(d.String()), ": ")
		v.lines(w, "  ", v.palette.drift.Sprint("drift")+" "+first+": "+rest)
	}
}

// summary is the end of every run.
func (v view) summary(w *bytes.Buffer, r Report) {
	unsound := slices.Concat(r.Sound.Unsafe, r.Sound.RefutedClaims)
	v.entry(w, "sound", v.yesNo(len(r.Sound.Unsafe) == 0), soundText(r.Sound))
	for _, b := range unsound {
		word := "unsound"
		if b.Basis == classifier.Claimed {
			word = "refuted claim"
		}
		v.entry(w, "", "", fmt.Sprintf("%s: %s, attempt %d: %s: %s", word, b.Row, b.Attempt, b.Verdict, b.Why))
	}
	v.entry(w, "useful", v.usefulWord(len(r.Useful.Withheld)), usefulText(r.Useful.Checked, len(r.Useful.Withheld)))
	for _, h := range r.Useful.Withheld {
		v.entry(w, "", "", fmt.Sprintf("withheld: %s: %s", h.Row, h.Reason))
	}
	word := "ok"
	if code := r.exitCode(); code != exitOK {
		word = v.palette.drift.Sprintf("failed (exit %d)", code)
	}
	v.entry(w, "verdict", word+": ", fmt.Sprintf("%s, in %s ms", r.verdict(), number(r.ElapsedMS)))
}

// soundText counts a refuted claim apart: the server's word was wrong there, not
// the verdict.
func soundText(s scenarios.Sound) string {
	if s.Checked == 0 {
		return "no attempt caused work on a server"
	}
	text := plural(s.Checked, "attempt") + " caused work on a server; no verdict lets a bare POST repeat it"
	if n := len(s.Unsafe); n > 0 {
		text = fmt.Sprintf("%s caused work on a server; for %d of them the verdict lets a bare POST repeat it", plural(s.Checked, "attempt"), n)
	}
	switch n := len(s.RefutedClaims); {
	case n > 0 && len(s.Unsafe) > 0:
		text += "; " + plural(n, "refuted claim") + " besides"
	case n > 0:
		text += ", but for " + plural(n, "refuted claim")
	}
	return text
}

func usefulText(checked, withheld int) string {
	switch {
	case checked == 0:
		return "no attempt failed before anything reached a server"
	case withheld == 0:
		return plural(checked, "attempt") + " never reached a server and may pass; a bare POST may follow each"
	}
	return fmt.Sprintf("%s never reached a server and may pass; after %d of them a bare POST is withheld", plural(checked, "attempt"), withheld)
}

// usefulWord is no alarm where something is withheld: that is information.
func (v view) usefulWord(withheld int) string {
	if withheld == 0 {
		return v.yesNo(true)
	}
	return fmt.Sprintf("but for %d: ", withheld)
}

func (v view) yesNo(yes bool) string {
	if yes {
		return v.palette.word("yes") + ": "
	}
	return v.palette.word("no") + ": "
}

// entry writes a line of the summary; word may be coloured.
func (v view) entry(w *bytes.Buffer, name, word, text string) {
	v.lines(w, fmt.Sprintf("%-9s", name), word+safe(text))
}

// lines writes text behind head, all of it: what does not fit in the view's
// width goes on in further lines, indented like the text.
func (v view) lines(w *bytes.Buffer, head, text string) {
	indent := strings.Repeat(" ", displayWidth(head))
	for {
		at := len(text)
		if room := v.width - displayWidth(head); displayWidth(text) > room {
			// A space behind the last column may end the line too.
			start, _ := cut(text, room+1)
			if at = strings.LastIndexByte(start, ' '); at <= 0 { // a word longer than a line
				start, _ = cut(text, room)
				at = len(start)
			}
		}
		w.WriteString(strings.TrimRight(head+text[:at], " ") + "\n")
		if head, text = indent, strings.TrimLeft(text[at:], " "); text == "" {
			return
		}
	}
}

// number prints milliseconds for a person.
func number(ms float64) string { return fmt.Sprintf("%.1f", ms) }

package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/retry-lab/retry-lab/scenarios"
	"github.com/retry-lab/retry-lab/servers"
)

// timeline prints a row in full: what both sides saw by one clock, the three
// decisions with their reasons, and the ledger.
func (v view) timeline(w *bytes.Buffer, row scenarios.Row) error {
	if rowState(row) != "" {
		return nil // its note under the table says why
	}
	heading := row.ID
	if c := row.Def.Case; c != nil {
		heading += ": " + c.Title + " (" + c.Source + ")"
	}
	if n := len(row.Runs); n > 1 {
		heading += fmt.Sprintf(" (the first of %d runs)", n)
	}
	v.lines(w, "", safe(heading))
	w.WriteByte('\n')
	for _, g := range []grid{moments(row), decisions(v, row), ledger(row)} {
		if len(g.rows) == 0 {
			continue
		}
		if err := g.write(w, v.width); err != nil {
			return err
		}
		w.WriteByte('\n')
	}
	if text := row.Cells[untraced]; text != "" {
		v.lines(w, "", "without a trace (phase, processed, POST): "+safe(text))
		w.WriteByte('\n')
	}
	return nil
}

// A moment is one thing that one side noted.
type moment struct {
	at     float64 // ms since the case began
	server bool
	what   string
}

// moments merges both sides: the client on the left, the server on the right.
func moments(row scenarios.Row) grid {
	var list []moment
	epoch := epochOf(row)
	for _, a := range row.Attempts {
		list = append(list, clientMoments(a, epoch)...)
	}
	for _, d := range row.Ledger {
		list = append(list, serverMoments("delivery", d, epoch)...)
	}
	if len(row.Runs) > 0 { // the ledger is the first one's
		for _, d := range row.Runs[0].Gateway.Deliveries {
			list = append(list, serverMoments("gateway's delivery", d, epoch)...)
		}
	}
	slices.SortStableFunc(list, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
	g := grid{header: []string{"ms", "client", "server"}, right: []int{0}, prose: map[int]int{1: 12, 2: 12}}
	for _, m := range list {
		line := []string{strconv.FormatFloat(m.at, 'f', 3, 64), safe(m.what), ""}
		if m.server {
			line[1], line[2] = "", line[1]
		}
		g.rows = append(g.rows, line)
	}
	return g
}

// epochOf is the instant that the row's milliseconds count from: the attempts
// and the ledger give some of their times in both forms.
func epochOf(row scenarios.Row) time.Time {
	for _, d := range row.Ledger {
		return d.At.Add(-milliseconds(d.AtMS))
	}
	for _, a := range row.Attempts {
		for _, e := range a.Events {
			return e.At.Add(-milliseconds(a.StartedMS))
		}
	}
	return time.Time{}
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func clientMoments(a scenarios.Attempt, epoch time.Time) []moment {
	begin := fmt.Sprintf("attempt %d: %s", a.N, a.Method)
	if a.Key {
		begin += " with a key"
	}
	list := []moment{{at: a.StartedMS, what: begin}}
	for _, e := range a.Events {
		list = append(list, moment{at: sinceMS(epoch, e.At), what: e.What})
	}
	end := fmt.Sprintf("attempt %d ended: %s", a.N, a.Code)
	if a.Syscall != "" {
		end += " on " + string(a.Syscall)
	}
	end += fmt.Sprintf(", phase %s, processed %s (%s): %s", a.Phase, a.Processed, a.Basis, a.Message)
	return append(list, moment{at: a.EndedMS, what: end})
}

// serverMoments are those of a delivery, which kind tells from others.
func serverMoments(kind string, d servers.Delivery, epoch time.Time) []moment {
	name := fmt.Sprintf("%s %d", kind, d.N)
	arrived := fmt.Sprintf("%s: first byte, connection %d", name, d.Connection)
	if d.Reused {
		arrived += " (reused)"
	}
	if d.Replay {
		arrived += ", a replay by the transport"
	}
	list := []moment{{at: d.AtMS, server: true, what: arrived}}
	for _, m := range []struct {
		at   time.Time
		what string
	}{
		{d.CommittedAt, "committed"},
		{d.AnsweredAt, "answered " + strconv.Itoa(d.Answered)},
		{d.EndedAt, "ended: " + d.Ended},
	} {
		if !m.at.IsZero() {
			list = append(list, moment{at: sinceMS(epoch, m.at), server: true, what: name + ": " + m.what})
		}
	}
	return list
}

func sinceMS(epoch, at time.Time) float64 { return inMS(at.Sub(epoch)) }

// inMS is a duration in milliseconds, to the microsecond.
func inMS(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

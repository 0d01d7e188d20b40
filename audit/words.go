package audit

import (
	"fmt"
	"strings"
)

// how says what deliveries there were, by what made them.
func how(f Facts, o Observation) string {
	ledger := make([]Delivery, len(o.Ledger))
	copy(ledger, o.Ledger)
	for i, k := range kinds(f, o) {
		ledger[i].Kind = k
	}
	c := countKinds(ledger)
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{c.Retries, "retried by policy"},
		{c.ReplaysReused, "replayed by the transport when a kept-alive connection died"},
		{c.ReplaysFresh, "replayed by the transport on a fresh connection"},
		{c.AfterEnd, "sent after the command had ended"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	text := plural(o.Deliveries, "delivery", "deliveries")
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

// ending says how the command ended, for the end of a sentence.
func ending(o Observation) string {
	switch {
	case o.Flooded:
		return ", printed without end and was killed"
	case o.Cut && o.Asleep:
		return fmt.Sprintf(", asleep at the cut after %s", seconds(o.CutMS))
	case o.Cut:
		return fmt.Sprintf(", still running at the cut after %s", seconds(o.CutMS))
	case o.Exited:
		return fmt.Sprintf(", exit code %d", o.Exit)
	}
	return ""
}

// ended says how a delivery without an answer did.
func ended(d Delivery) string {
	switch d.Ended {
	case "rst":
		return "the connection was reset"
	case "fin":
		return "the connection was closed"
	}
	return "it was left open"
}

func plural(n int, singular, many string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %s", n, many)
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

func size(bytes int64) string { return plural(int(bytes), "byte", "bytes") }

func seconds(ms float64) string { return fmt.Sprintf("%.1f s", ms/1000) }

// pause says a gap.
func pause(ms float64) string {
	switch {
	case ms < minGap:
		return "at once"
	case ms < 1000:
		return fmt.Sprintf("after %.0f ms", ms)
	}
	return "after " + seconds(ms)
}

// gapList says gaps.
func gapList(list []float64) string {
	if len(list) == 0 {
		return "none"
	}
	var parts []string
	for _, g := range list[:min(len(list), 8)] {
		parts = append(parts, fmt.Sprintf("%.0f", g))
	}
	if len(list) > 8 {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ") + " ms"
}

package classifier

import "time"

// clock is the time at the server when the response arrived, as far as it can
// be known, in seconds since 1970.
type clock struct {
	now   int64
	known bool
}

// someDay, 2025-01-01, stands in for an unknown now where a two-digit year
// needs a century.
const someDay = 1735689600

// clock takes the server's own time, so that its dates are compared with its
// own clock and not with ours: Date plus the Age that a cache added, else the
// time of arrival here, else unknown. Few answers need it.
func (h *heard) clock() clock {
	here := clock{h.received.Unix(), true}
	if h.received.IsZero() {
		here = clock{now: someDay}
	}
	if len(h.date) == 0 || len(h.date[0]) > maxField {
		return here
	}
	date, ok := parseDate(trimOWS(h.date[0]), here.now)
	if !ok {
		return here
	}
	return clock{date + ageOf(h), true}
}

// ageOf is the Age of a cached response in seconds, bounded; 0 where there is
// none, or none that is valid.
func ageOf(h *heard) int64 {
	if len(h.age) == 0 || len(h.age[0]) > maxField {
		return 0
	}
	const century = 100 * 366 * 24 * 60 * 60
	n, ok := number(trimOWS(h.age[0]))
	if !ok {
		return 0
	}
	return min(n, century)
}

// until is the wait until a moment, 0 for a past one. It is false where the
// clock is not known: a date alone is no wait.
func (c clock) until(at int64) (time.Duration, bool) {
	if !c.known {
		return 0, false
	}
	return seconds(at - c.now), true
}

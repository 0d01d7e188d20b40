package classifier

import (
	"math"
	"time"
)

// rateLimitWait reads the fields of a rate limit that name no wait in so many
// words. They count only where the quota is used up, and only where there is
// no Retry-After, which takes precedence (draft-ietf-httpapi-ratelimit-headers).
func rateLimitWait(h *heard) (time.Duration, bool) {
	if ageOf(h) == 0 { // a cached answer's quota is somebody else's
		if wait, ok := rateLimit(h.rateLimit); ok {
			return wait, true
		}
	}
	if !says(h.remaining, "0") {
		return 0, false
	}
	var wait time.Duration
	said := false
	for _, line := range h.reset {
		if d, ok := h.resetAt(line); ok {
			wait, said = max(wait, d), true
		}
	}
	return wait, said
}

// rateLimit reads RateLimit: "policy";r=0;t=30. r is what remains, t the
// seconds until there is more. The longest t of a policy that is used up
// counts. A malformed field is ignored.
func rateLimit(lines []string) (wait time.Duration, said bool) {
	for _, line := range lines {
		if len(line) > maxField {
			return 0, false
		}
		list := fieldList{trimOWS(line)}
		for more := list.rest != ""; more; {
			t, used, ok := quota(&list)
			if !ok {
				return 0, false
			}
			if used {
				wait, said = max(wait, seconds(t)), true
			}
			if more, ok = list.comma(); !ok {
				return 0, false
			}
		}
	}
	return wait, said
}

// quota reads one policy of a RateLimit field: its t, and whether it is used
// up.
func quota(list *fieldList) (t int64, used, ok bool) {
	if _, ok = list.item(); !ok {
		return 0, false, false
	}
	timed := false
	for {
		p, more, ok := list.param()
		switch {
		case !ok:
			return 0, false, false
		case !more:
			return t, used && timed, true
		case p.key == "r":
			used = p.value == "0"
		case p.key == "t":
			if t, timed = whole(p.value); !timed {
				return 0, false, false
			}
		}
	}
}

// whole reads digits and nothing else, saturated.
func whole(s string) (n int64, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = addDigit(n, c)
	}
	return n, s != ""
}

// resetAt reads X-RateLimit-Reset, for which there is no standard: what it
// counts shows in its size. Sizes between those are not guessed.
func (h *heard) resetAt(line string) (time.Duration, bool) {
	if len(line) > maxField {
		return 0, false
	}
	n, ok := whole(trimOWS(line))
	switch {
	case !ok:
		return 0, false
	case n < 1e8: // seconds from now
		return seconds(n), true
	case n >= 1e9 && n < 1e11: // seconds since 1970
		return h.clock().until(n)
	case n >= 1e12 && n < math.MaxInt64: // milliseconds since 1970
		return h.clock().until((n + 999) / 1000)
	}
	return 0, false
}

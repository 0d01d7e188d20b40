package explain

import (
	"bytes"

	"github.com/retry-lab/retry-lab/classifier"
)

// merge joins the findings that are of one record: the attempts of the same
// call, and one failure told twice.
func merge(found []*finding, input []byte) []*finding {
	if len(found) < 2 {
		return found
	}
	out := found[:1]
	for _, f := range found[1:] {
		last := out[len(out)-1]
		switch {
		case !sameCall(last, f, input):
			out = append(out, f)
		default:
			out[len(out)-1] = join(last, f)
		}
	}
	return out
}

// sameCall tells whether two findings are of one call: they say the same, or
// words of trying again connect them.
func sameCall(a, b *finding, input []byte) bool {
	first, second := beginning(input, a), beginning(input, b)
	if c := connection(first); c != "" && c == connection(second) && a.method == b.method {
		return true // whatever the hosts: a gateway tries one upstream after the other
	}
	if different(a, b) {
		return false
	}
	if a.code == b.code && (a.phase == b.phase || a.certainty == Open || b.certainty == Open) {
		return true
	}
	if a.host != "" && a.host == b.host && a.method == b.method {
		return true
	}
	return triesAgain(first) || triesAgain(second)
}

// beginning is as much of a record as is looked at to compare it.
func beginning(input []byte, f *finding) []byte {
	return input[f.from:min(f.to, f.from+4<<10)]
}

// triesAgain tells whether a record speaks of attempts.
func triesAgain(text []byte) bool {
	text = bytes.ToLower(text)
	for _, w := range [...]string{"attempt", "retry", "retrie", "tries", "try "} {
		if bytes.Contains(text, []byte(w)) {
			return true
		}
	}
	return false
}

// connection is the number by which nginx names one: "*41".
func connection(text []byte) string {
	at := bytes.Index(text, []byte(": *"))
	if at < 0 {
		return ""
	}
	rest := text[at+2:]
	end := 1
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	return string(rest[:end])
}

// different tells whether two findings show that they are of different calls.
func different(a, b *finding) bool {
	return a.host != "" && b.host != "" && a.host != b.host ||
		a.method != "" && b.method != "" && a.method != b.method
}

// join makes one record of two attempts: the last one's code, the worst of
// both for the rest. Where both name the same failure, the one that says more
// names it.
func join(a, b *finding) *finding {
	last := *b
	if a.code == b.code && a.certainty != Open && b.certainty == Open {
		last = *a
	}
	last.from, last.to = a.from, b.to
	if last.host == "" {
		last.host = a.host
	}
	if last.method == "" {
		last.method = a.method
	}
	same := a.code == b.code && (a.certainty == Open) != (b.certainty == Open) && (a.entry.rank < rankTimer || b.entry.rank < rankTimer)
	if same {
		return &last
	}
	last.outcome = worse(a.outcome, b.outcome, last.outcome)
	return &last
}

// worse is an outcome as the last attempt tells it, no better than both.
func worse(a, b, last outcome) outcome {
	processed := a.failure.Processed.Worse(b.failure.Processed)
	if processed != last.failure.Processed {
		last.failure.Processed, last.failure.Basis = processed, classifier.Assumed
	}
	last.get, last.postKey = timid(a.get, b.get), timid(a.postKey, b.postKey)
	if last.post = timid(a.post, b.post); last.post == a.post && a.post != b.post {
		last.reason = a.reason
	}
	return last
}

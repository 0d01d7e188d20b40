package retry

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// Explain puts a policy into words, with its schedule: several lines, each
// ended. A policy that is not valid is explained by its error.
func Explain(p Policy) string {
	var b strings.Builder
	if err := p.Validate(); err != nil {
		fmt.Fprintf(&b, "not valid: %v\n", err)
		return b.String()
	}
	for _, line := range p.Words() {
		b.WriteString(line + "\n")
	}
	schedule := p.Schedule()
	if len(schedule) == 0 {
		return b.String()
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "retry\tmin\tmedian\tmax\t")
	for _, r := range schedule {
		fmt.Fprintf(w, "%d\t%v\t%v\t%v\t\n", r.Retry, short(r.Min), short(r.Median), short(r.Max))
	}
	w.Flush() // to memory
	if p.maxAttempts()-1 > len(schedule) {
		b.WriteString("and so on\n")
	}
	return b.String()
}

// short is a duration without digits that nobody reads.
func short(d time.Duration) time.Duration {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d
}

// Words says in a few lines what a valid policy does: how often it tries, how
// long it waits, what may be sent again, and what ends it early. [Explain] has
// them with the schedule.
func (p *Policy) Words() []string {
	lines := []string{p.triesInWords()}
	if p.maxAttempts() > 1 {
		lines = append(lines, p.waitsInWords(), p.serverInWords())
		lines = append(lines, p.safetyInWords()...)
	}
	return append(lines, p.boundsInWords()...)
}

func (p *Policy) triesInWords() string {
	n := p.maxAttempts()
	if n == 1 {
		return "one attempt, nothing is tried again"
	}
	return fmt.Sprintf("up to %d attempts", n)
}

func (p *Policy) waitsInWords() string {
	b := p.Backoff
	s := fmt.Sprintf("%s waits from %v to at most %v", b.Strategy, b.base(), b.limit())
	switch {
	case b.Jitter == DecorrelatedJitter:
		s = fmt.Sprintf("waits of up to three times the one before, from %v to at most %v", b.base(), b.limit())
	case b.Strategy == Exponential:
		s += fmt.Sprintf(", by a factor of %v", b.factor())
	case b.Strategy == Fixed:
		s = fmt.Sprintf("waits of %v", b.Delay(1))
	}
	if b.Jitter == NoJitter {
		return s + ", without jitter"
	}
	return s + fmt.Sprintf(", with %s jitter", b.Jitter)
}

func (p *Policy) serverInWords() string {
	switch {
	case p.maxWait() == 0:
		return "a server's wait ends the operation"
	case p.LongWait == Clamp:
		return fmt.Sprintf("a server's wait is kept up to %v, and cut off there", p.maxWait())
	}
	return fmt.Sprintf("a server's wait is kept in full, up to %v; a longer one ends the operation", p.maxWait())
}

// safetyInWords says what may be sent twice.
func (p *Policy) safetyInWords() []string {
	lines := []string{"sent again: idempotent requests, and any of which nothing was processed"}
	if p.Key != nil {
		lines = append(lines, fmt.Sprintf("and those with an %s, for %v", p.Key.header(), p.Key.ttl()))
	}
	if p.Unsafe {
		lines = append(lines, "UNSAFE: what the policy adds is sent again even if it may have been processed")
	}
	if p.Strict {
		lines = append(lines, "a server's bare claim that it did no work is not believed")
	}
	lines = append(lines, listInWords("methods that count as idempotent", p.Methods.Add)...)
	lines = append(lines, listInWords("methods that are never tried again", p.Methods.Remove)...)
	lines = append(lines, listInWords("statuses that may pass besides", p.Statuses.Add)...)
	lines = append(lines, listInWords("statuses that are final", p.Statuses.Remove)...)
	lines = append(lines, listInWords("failures that may pass besides", p.Codes.Add)...)
	return append(lines, listInWords("failures that are final", p.Codes.Remove)...)
}

func listInWords[T string | int | classifier.Code](what string, list []T) []string {
	if len(list) == 0 {
		return nil
	}
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
	}
	return []string{what + ": " + strings.Join(words, ", ")}
}

// boundsInWords says what ends an operation early.
func (p *Policy) boundsInWords() []string {
	var lines []string
	if p.AttemptTimeout > 0 {
		lines = append(lines, fmt.Sprintf("an attempt takes at most %v", p.AttemptTimeout))
	}
	if p.Deadline > 0 {
		lines = append(lines, fmt.Sprintf("all of it takes at most %v", p.Deadline))
	}
	b, w := &p.Budget, p.Budget.terms()
	scope := []string{"per origin", "per client", "for all clients of the store"}[b.Scope]
	switch {
	case p.maxAttempts() == 1:
	case b.Off:
		lines = append(lines, "no budget: retries are bounded by attempts alone")
	case b.MaxRetries > 0:
		lines = append(lines, fmt.Sprintf("budget: %d retries in %v, %s", b.MaxRetries, w.Window, scope))
	default:
		lines = append(lines, fmt.Sprintf("budget: %.6g %% of the requests and %v a second, kept for %v, %s", w.Ratio*100, w.Floor, w.TTL, scope))
	}
	return lines
}

package cmd

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

// A shownPolicy is what `policy show -o json` prints: what the flags came to,
// what that means, and the waits.
type shownPolicy struct {
	Schema   int          `json:"schema"`
	Policy   policyFields `json:"policy"`
	Words    []string     `json:"words"`
	Schedule []shownRetry `json:"schedule"` // of at most 100 retries
}

type shownRetry struct {
	Retry    int     `json:"retry"` // from 1
	MinMS    float64 `json:"min_ms"`
	MedianMS float64 `json:"median_ms"`
	MaxMS    float64 `json:"max_ms"`
}

// policyFields are those of retry.Policy that can be written down.
type policyFields struct {
	Attempts         int          `json:"attempts"`
	SingleRetry      bool         `json:"single_retry"`
	Strategy         string       `json:"strategy"`
	BaseMS           float64      `json:"base_ms"`
	CapMS            float64      `json:"cap_ms"`
	Factor           float64      `json:"factor"`
	Jitter           string       `json:"jitter"`
	MaxWaitMS        float64      `json:"max_wait_ms"` // 0: no wait of a server's is kept
	LongWait         string       `json:"long_wait"`
	AttemptTimeoutMS float64      `json:"attempt_timeout_ms"` // 0: no bound
	DeadlineMS       float64      `json:"deadline_ms"`        // 0: no bound
	Strict           bool         `json:"strict"`
	Unsafe           bool         `json:"unsafe"`
	Key              *keyFields   `json:"key"` // null: a key proves nothing
	Budget           budgetFields `json:"budget"`

	Methods  changedList[string]          `json:"methods"`
	Statuses changedList[int]             `json:"statuses"`
	Codes    changedList[classifier.Code] `json:"codes"`
}

type keyFields struct {
	Header string  `json:"header"`
	TTLMS  float64 `json:"ttl_ms"`
}

type budgetFields struct {
	Off        bool    `json:"off"`
	Scope      string  `json:"scope"`
	Ratio      float64 `json:"ratio"`
	Floor      float64 `json:"floor"`
	TTLMS      float64 `json:"ttl_ms"`
	MaxRetries int     `json:"max_retries"` // 0: ratio, floor and ttl count
	WindowMS   float64 `json:"window_ms"`   // of max_retries
}

type changedList[T comparable] struct {
	Add    []T `json:"add"`
	Remove []T `json:"remove"`
}

func newShownPolicy(p *retry.Policy) shownPolicy {
	out := shownPolicy{Schema: reportSchema, Policy: newPolicyFields(p), Words: p.Words(), Schedule: []shownRetry{}}
	for _, r := range p.Schedule() {
		out.Schedule = append(out.Schedule, shownRetry{r.Retry, inMS(r.Min), inMS(r.Median), inMS(r.Max)})
	}
	return out
}

// newPolicyFields takes a policy whose zero values are resolved, as those of
// the command line are.
func newPolicyFields(p *retry.Policy) policyFields {
	b := &p.Budget
	f := policyFields{
		Attempts: p.MaxAttempts, SingleRetry: p.SingleRetry,
		Strategy: p.Backoff.Strategy.String(), Jitter: p.Backoff.Jitter.String(),
		BaseMS: inMS(p.Backoff.Base), CapMS: inMS(p.Backoff.Cap), Factor: p.Backoff.Factor,
		MaxWaitMS: inMS(max(p.MaxWait, 0)), LongWait: p.LongWait.String(),
		AttemptTimeoutMS: inMS(p.AttemptTimeout), DeadlineMS: inMS(p.Deadline),
		Strict: p.Strict, Unsafe: p.Unsafe,
		Budget: budgetFields{
			Off: b.Off, Scope: b.Scope.String(), Ratio: b.Ratio, Floor: b.Floor, TTLMS: inMS(b.TTL),
			MaxRetries: b.MaxRetries, WindowMS: inMS(b.Window),
		},
		Methods: newChangedList(p.Methods), Statuses: newChangedList(p.Statuses), Codes: newChangedList(p.Codes),
	}
	if p.Key != nil {
		f.Key = &keyFields{p.Key.Header, inMS(p.Key.TTL)}
	}
	return f
}

// newChangedList makes the lists that are empty so, and not null.
func newChangedList[T comparable](c retry.Changes[T]) changedList[T] {
	return changedList[T]{append([]T{}, c.Add...), append([]T{}, c.Remove...)}
}

// printPolicy prints a valid policy: for a terminal as retry.Explain has it.
func (a *app) printPolicy(p *retry.Policy, format string) error {
	var b bytes.Buffer
	switch format {
	case "json":
		return writeJSON(a.stdout, newShownPolicy(p), "  ")
	case "markdown":
		for _, line := range p.Words() {
			b.WriteString("- " + markdown(line) + "\n")
		}
		if rows := waitRows(p); len(rows) > 0 {
			b.WriteByte('\n')
			writeMarkdownTable(&b, []string{"retry", "min", "median", "max"}, rows)
		}
	default:
		for line := range strings.Lines(retry.Explain(*p)) {
			b.WriteString(safe(strings.TrimSuffix(line, "\n")) + "\n")
		}
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

func waitRows(p *retry.Policy) [][]string {
	var rows [][]string
	for _, r := range p.Schedule() {
		rows = append(rows, []string{strconv.Itoa(r.Retry), r.Min.String(), r.Median.String(), r.Max.String()})
	}
	return rows
}

package cmd

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

// policyOptions is a policy as the command line builds it.
type policyOptions struct {
	policy retry.Policy

	strategy, jitter, longWait, scope *choice
	key                               bool
	honoured                          retry.KeyPolicy
}

// The words of the flags that take one, in the order of their values.
var (
	strategies = []fmt.Stringer{retry.Exponential, retry.Fixed, retry.Linear, retry.Fibonacci}
	jitters    = []fmt.Stringer{retry.FullJitter, retry.NoJitter, retry.EqualJitter, retry.DecorrelatedJitter, retry.AdditiveJitter}
	longWaits  = []fmt.Stringer{retry.Stop, retry.Clamp}
	scopes     = []fmt.Stringer{retry.PerOrigin, retry.PerClient, retry.Global}
)

// addPolicyFlags gives a command the flags of a policy. Their defaults are what
// the zero policy stands for.
func addPolicyFlags(c *cobra.Command) *policyOptions {
	o := &policyOptions{policy: retry.Policy{
		MaxAttempts: retry.DefaultMaxAttempts,
		Backoff:     retry.Backoff{Base: retry.DefaultBase, Cap: retry.DefaultCap, Factor: retry.DefaultFactor},
		MaxWait:     classifier.DefaultMaxWait,
		Budget:      retry.Budget{Ratio: retry.DefaultRatio, Floor: retry.DefaultFloor, TTL: retry.DefaultTTL},
	}, honoured: retry.KeyPolicy{Header: retry.DefaultKeyHeader, TTL: retry.DefaultKeyTTL}}
	o.addWaits(c)
	o.addBounds(c)
	o.addSafety(c)
	o.addBudget(c)
	return o
}

func (o *policyOptions) addWaits(c *cobra.Command) {
	f, b := c.Flags(), &o.policy.Backoff
	f.Var(parsedFlag[int]{&o.policy.MaxAttempts, count}, "attempts", "tries of one operation, the first included")
	f.BoolVar(&o.policy.SingleRetry, "single-retry", false, "at most one retry, as RFC 9110 section 9.2.2 has it")
	o.strategy = addChoice(c, "strategy", "how the wait grows", strategies)
	f.Var(waitFlag{&b.Base}, "base", "the first wait, before jitter")
	f.Var(waitFlag{&b.Cap}, "cap", "the longest wait")
	f.Var(parsedFlag[float64]{&b.Factor, fraction}, "factor", "what an exponential wait is multiplied by")
	o.jitter = addChoice(c, "jitter", "how a wait is spread", jitters)
}

func (o *policyOptions) addBounds(c *cobra.Command) {
	f, p := c.Flags(), &o.policy
	f.Var(waitFlag{&p.MaxWait}, "max-wait", "the longest wait of a server's that is kept; 0s: none")
	o.longWait = addChoice(c, "long-wait", "what becomes of a longer one", longWaits)
	f.Var(waitFlag{&p.AttemptTimeout}, "attempt-timeout", "the longest that one attempt may take; 0s: no bound")
	f.Var(waitFlag{&p.Deadline}, "deadline", "the longest that all of it may take; 0s: no bound")
}

func (o *policyOptions) addSafety(c *cobra.Command) {
	f, p := c.Flags(), &o.policy
	f.BoolVar(&p.Strict, "strict", false, "believe no server's bare claim that it did no work")
	f.BoolVar(&p.Unsafe, "unsafe", false, "send what the --add lists let pass even if it may have been processed")
	f.BoolVar(&o.key, "key", false, "the server honours idempotency keys")
	f.Var(textFlag{&o.honoured.Header, "a header field such as Idempotency-Key"}, "key-header", "the field that holds the key")
	f.Var(waitFlag{&o.honoured.TTL}, "key-ttl", "how long the server remembers a key")
	f.Var(listFlag[string]{&p.Methods.Add, asIs[string]}, "add-method", "methods that count as idempotent, such as PATCH,LOCK")
	f.Var(listFlag[string]{&p.Methods.Remove, asIs[string]}, "remove-method", "methods that are never tried again")
	f.Var(listFlag[int]{&p.Statuses.Add, count}, "add-status", "statuses that may pass, such as 404,423")
	f.Var(listFlag[int]{&p.Statuses.Remove, count}, "remove-status", "statuses that are final")
	f.Var(listFlag[classifier.Code]{&p.Codes.Add, asIs[classifier.Code]}, "add-code", "failures that may pass, such as ENOTFOUND")
	f.Var(listFlag[classifier.Code]{&p.Codes.Remove, asIs[classifier.Code]}, "remove-code", "failures that are final")
	complete(c, "add-code", texts(classifier.Codes()))
	complete(c, "remove-code", texts(classifier.Codes()))
}

func (o *policyOptions) addBudget(c *cobra.Command) {
	f, b := c.Flags(), &o.policy.Budget
	f.BoolVar(&b.Off, "no-budget", false, "bound retries by attempts alone")
	o.scope = addChoice(c, "budget-scope", "which requests share a budget", scopes)
	f.Var(parsedFlag[float64]{&b.Ratio, fraction}, "budget-ratio", "the share of requests that may be tried again")
	f.Var(parsedFlag[float64]{&b.Floor, fraction}, "budget-floor", "the retries a second that are allowed besides")
	f.Var(waitFlag{&b.TTL}, "budget-ttl", "how long either lasts unused")
	f.Var(parsedFlag[int]{&b.MaxRetries, count}, "budget-retries", "a fixed count of retries in each window, in place of a share")
	f.Var(waitFlag{&b.Window}, "budget-window", "the window of --budget-retries; 0s: one minute")
}

// complete makes the policy of the flags. given says which were.
func (o *policyOptions) complete(given func(string) bool) error {
	p := &o.policy
	p.Backoff.Strategy = retry.Strategy(o.strategy.index())
	p.Backoff.Jitter = retry.Jitter(o.jitter.index())
	p.LongWait = retry.LongWait(o.longWait.index())
	if p.Budget.Scope = retry.Scope(o.scope.index()); p.Budget.Scope == retry.Global {
		p.Budget.Store = retry.NewMemoryStore()
	}
	if p.MaxWait == 0 {
		p.MaxWait = -1
	}
	if o.key || given("key-header") || given("key-ttl") {
		p.Key = &o.honoured
	}
	if p.Budget.MaxRetries > 0 && p.Budget.Window == 0 {
		p.Budget.Window = retry.DefaultWindow
	}
	if !given("base") {
		p.Backoff.Base = min(p.Backoff.Base, max(p.Backoff.Cap, 1)) // as the zero Base
	}
	return o.refuseZeros(given)
}

// refuseZeros refuses a zero that was typed where the policy's zero stands for
// something else.
func (o *policyOptions) refuseZeros(given func(string) bool) error {
	p := &o.policy
	for _, z := range []struct {
		flag string
		zero bool
	}{
		{"attempts", p.MaxAttempts == 0},
		{"base", p.Backoff.Base == 0},
		{"cap", p.Backoff.Cap == 0},
		{"factor", p.Backoff.Factor == 0},
		{"key-ttl", o.honoured.TTL == 0},
		{"budget-ratio", p.Budget.Ratio == 0},
		{"budget-floor", p.Budget.Floor == 0},
		{"budget-ttl", p.Budget.TTL == 0},
		{"budget-retries", p.Budget.MaxRetries == 0},
	} {
		if z.zero && given(z.flag) {
			return usageError("see 'retry-lab policy show --help'", "--%s 0: want more than zero", z.flag)
		}
	}
	return nil
}

// addChoice gives a command a flag that takes one of a few words, the first by
// default.
func addChoice(c *cobra.Command, name, usage string, words []fmt.Stringer) *choice {
	f := &choice{}
	for _, w := range words {
		f.allowed = append(f.allowed, w.String())
	}
	f.value = f.allowed[0]
	c.Flags().Var(f, name, usage)
	complete(c, name, f.allowed)
	return f
}

// index is the place of the word that was chosen.
func (c *choice) index() int { return slices.Index(c.allowed, c.value) }

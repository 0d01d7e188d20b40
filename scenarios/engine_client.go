package scenarios

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

// A request is what is asked of a fault in place of the case's own request, and
// by whom. It crosses to a child in JSON.
type request struct {
	Name   string // the last part of the row's id
	Method string
	Key    string
	Engine bool // by package retry; else by net/http alone
	Strict bool
	Limit  time.Duration    // of one attempt of the engine; 0: none
	Stalls classifier.Phase // where Limit is to end it
	Seed   uint64           // of the engine's jitter; 0: it draws what it draws
}

// instead is the call k with the method and the key of r, k itself where r is
// nil. A body of the case's own stays: it is part of the fault.
func (r *request) instead(k call) call {
	if r != nil {
		k.Method, k.Key = r.Method, r.Key
	}
	return k
}

// A Step is what the engine decided after an attempt. What became of its
// operation is with the last attempt.
type Step struct {
	Verdict classifier.Verdict
	Reason  classifier.Reason

	Outcome   string // success, failed, ambiguous or stopped
	Processed classifier.Processed
	Basis     classifier.Basis
}

// The engine's own waits, short for a lab.
const (
	engineBase = 5 * time.Millisecond
	engineCap  = 50 * time.Millisecond
)

// An engine is package retry above a client's transport, and what became of
// its operations.
type engine struct {
	*retry.Transport
	reports []retry.Report
}

// engine makes one that sends r.
func (r *request) engine(base *http.Transport) *engine {
	n := &engine{}
	n.Transport = &retry.Transport{Base: base, Policy: retry.Policy{
		Backoff:          retry.Backoff{Base: engineBase, Cap: engineCap},
		AttemptTimeout:   r.Limit,
		Strict:           r.Strict,
		RefetchTruncated: maxAnswer,
		AttemptHeader:    servers.AttemptHeader,
		OnDone:           func(d retry.Report) { n.reports = append(n.reports, d) },
	}}
	if r.Key != "" {
		n.Policy.Key = &retry.KeyPolicy{}
	}
	if r.Seed != 0 {
		n.Policy.Rand = seeded(r.Seed)
	}
	return n
}

// seeded draws the same numbers for the same seed, for several goroutines.
func seeded(seed uint64) func() float64 {
	var mu sync.Mutex
	source := rand.New(rand.NewPCG(seed, 0))
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return source.Float64()
	}
}

// sendByEngine is send for a client whose attempts are the engine's: each is
// entered. What gives up is the engine's timer alone, in place of the timers of
// the call and of http.Client.
func (c *client) sendByEngine(ctx context.Context, url string, k call) (Attempt, answer, error) {
	k.GiveUp = nil
	_, attemptCtx, end := k.contexts(ctx)
	defer end()
	req, err := k.request(attemptCtx, url, 1)
	if err != nil {
		return Attempt{}, answer{}, err
	}
	before := len(c.attempts)
	resp, ans := c.roundTripByEngine(req)
	if ctx.Err() != nil {
		return Attempt{}, answer{}, context.Cause(ctx)
	}
	c.enterReports(resp, k)
	if len(c.attempts) == before {
		return Attempt{}, answer{}, fmt.Errorf("the engine made no attempt: %w", ans.Err)
	}
	last := &c.attempts[len(c.attempts)-1]
	if ans.Err != nil && last.Step.Verdict == classifier.Done {
		last.broke(ans.Err, req, k)
	}
	return *last, ans, nil
}

func (c *client) roundTripByEngine(req *http.Request) (*http.Response, answer) {
	c.engine.reports = nil
	resp, err := (&http.Client{Transport: c.http.Transport, CheckRedirect: c.http.CheckRedirect}).Do(req)
	if err != nil {
		return nil, answer{Err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp, answer{Header: resp.Header, Body: string(body), Err: err}
}

// enterReports enters the attempts of every operation that the call led to: of
// one, and one more for each redirect.
func (c *client) enterReports(resp *http.Response, k call) {
	reports := c.engine.reports
	if last, ok := retry.ReportOf(resp); ok && len(reports) > 0 {
		reports[len(reports)-1] = last // it goes on while the body is read
	}
	for _, r := range reports {
		for i, x := range r.Attempts {
			a := Attempt{
				N: x.N, StartedMS: ms(x.Start.Sub(c.e.Epoch)), EndedMS: ms(x.Start.Add(x.Duration).Sub(c.e.Epoch)),
				Method: r.Method, Key: k.Key != "", Reused: x.Reused,
				Step: &Step{Verdict: x.Verdict, Reason: x.Reason},
			}
			a.enter(classifier.Failure{
				Code: x.Code, Syscall: x.Syscall, Phase: x.Phase, Processed: x.Processed, Basis: x.Basis, Status: x.Status,
			})
			a.Message = http.StatusText(x.Status)
			if x.Err != nil {
				a.Message, a.Printed = x.Err.Error(), x.Err.Error()
			}
			if i == len(r.Attempts)-1 {
				a.Step.Outcome, a.Step.Processed, a.Step.Basis = r.Outcome(), r.Processed, r.Basis
			}
			c.attempts = append(c.attempts, a)
		}
	}
}

// broke enters that the engine had an answer, and the caller an error all the
// same: the body broke off, or the answer was one redirect too many.
func (a *Attempt) broke(err error, req *http.Request, k call) {
	f := classifier.FromError(err, classifier.Evidence{Answered: true})
	f.Status = a.Status
	a.enter(f)
	a.Message, a.Printed = err.Error(), err.Error()
	d := classifier.Decide(f, classifier.Request{
		Method: req.Method, Key: k.Key != "", KeyHonoured: k.Key != "", AfterMaybe: true,
	}, classifier.Policy{})
	a.Step.Verdict, a.Step.Reason = d.Verdict, d.Reason
	a.Step.Outcome = retry.Report{Verdict: d.Verdict}.Outcome()
	a.Step.Processed = a.Step.Processed.Worse(f.Processed)
}

// cutShort: the engine's timer has ended another wait than the one that stalls,
// so that there is nothing to wait for at the server; see metByEngine.
func (c *client) cutShort() bool { return c.engine != nil && cutShort(c.attempts, c.e.as.Stalls) }

// awaitSent returns once the ledger holds every attempt that the engine's timer
// ended while the server had it, as far as is says.
func (c *client) awaitSent(ctx context.Context, srv io.Closer, is func(servers.Delivery) bool) error {
	s, ok := srv.(interface{ Ledger() *servers.Ledger })
	if !ok || c.engine == nil || c.cutShort() {
		return nil
	}
	sent := map[int]bool{}
	for _, a := range c.attempts {
		if a.Code == classifier.Timeout && (a.Phase == classifier.PhaseAwait || a.Phase == classifier.PhaseReadBody) {
			sent[a.N] = true
		}
	}
	err := s.Ledger().Await(ctx, func(r servers.Record) bool {
		have := 0
		for _, d := range r.Asked() {
			if sent[d.Attempt] && is(d) {
				have++
			}
		}
		return have >= len(sent)
	})
	if err != nil {
		return fmt.Errorf("wait for what was sent: %w", err)
	}
	return nil
}

func isComplete(d servers.Delivery) bool { return d.Complete }

// isDealtWith: acted on, or answered without.
func isDealtWith(d servers.Delivery) bool { return d.Committed || d.Answered != 0 }

// ofGroup: the id is one of the group's.
func ofGroup(id, group string) bool { return strings.HasPrefix(id, group+"/") }

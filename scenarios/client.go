package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// defaultBody is what a POST carries where the case does not care.
const defaultBody = "amount=4200"

// maxAnswer bounds what a client of the lab reads of a response body.
const maxAnswer = 1 << 20

// A client is net/http with a recorder, a transport of its own, no proxy and
// no resolver but the lab's. A case may set what it likes of http and
// transport before it sends.
type client struct {
	e         *Env
	http      *http.Client
	transport *http.Transport // http's
	engine    *engine         // nil: http sends what it is given, once
	attempts  []Attempt
	hangUp    context.CancelFunc // ends the dials that outlive their requests
}

// newClient makes a client; dialer may be nil.
func newClient(e *Env, dialer *net.Dialer) *client {
	if dialer == nil {
		dialer = &net.Dialer{}
	}
	life, hangUp := context.WithCancel(context.Background())
	transport := &http.Transport{
		Proxy:             nil,
		DialContext:       trace.Dial(dialUntil(life, dialer)),
		ForceAttemptHTTP2: true,
	}
	c := &client{e: e, http: &http.Client{Transport: transport}, transport: transport, hangUp: hangUp}
	if e.as != nil && e.as.Engine {
		c.engine = e.as.engine(transport)
		c.http.Transport = c.engine
	}
	return c
}

// dialUntil is a dialer that also gives up when life ends: net/http goes on
// dialling for a request that has given up.
func dialUntil(life context.Context, d *net.Dialer) trace.DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		return d.DialContext(ctx, network, addr)
	}
}

// A call is one attempt's request.
type call struct {
	Method string    // empty: POST
	Key    string    // Idempotency-Key; empty: none
	Body   io.Reader // nil: defaultBody for a POST or PUT, nothing for a GET
	Size   int64     // of Body; 0: as net/http finds it, chunked if it cannot
	Expect bool      // holds the body back: Expect: 100-continue
	// GiveUp returns nil when the client's own deadline for this attempt has
	// come; nil: none.
	GiveUp func(context.Context) error
	// Caller makes the context of the caller, who may cancel it, out of the
	// run's, and returns how to end it; nil: the caller never cancels.
	Caller func(context.Context) (context.Context, func())
	// Hooks, if set, are called along with those of the recorder; Answered
	// when the head of the answer is complete.
	Hooks    *httptrace.ClientTrace
	Answered func()
}

// An answer is what a call came back with besides its Attempt.
type answer struct {
	Header http.Header
	Body   string // as far as it came
	Err    error  // what net/http returned, also while the body was read; nil: none
}

// send makes one attempt and enters it.
func (c *client) send(ctx context.Context, url string, k call) (Attempt, answer, error) {
	k = c.e.as.instead(k)
	if c.engine != nil {
		return c.sendByEngine(ctx, url, k)
	}
	n := len(c.attempts) + 1
	caller, attemptCtx, end := k.contexts(ctx)
	defer end()
	req, err := k.request(attemptCtx, url, n)
	if err != nil {
		return Attempt{}, answer{}, err
	}
	rec := trace.Begin(n)
	resp, ans, err := c.roundTrip(rec, rec.Request(req), k.Answered)
	ev := rec.End(caller, attemptCtx)
	ev.Request.HTTP2 = ev.Request.HTTP2 || c.plainHTTP2()
	if ctx.Err() != nil {
		return Attempt{}, answer{}, unfinished(ctx, rec) // the run was interrupted: nothing was observed
	}
	a := Attempt{
		N: n, StartedMS: ms(rec.Start.Sub(c.e.Epoch)), EndedMS: ms(time.Since(c.e.Epoch)),
		Method: req.Method, Key: k.Key != "", Reused: ev.Reused,
		Evidence: ev, Events: rec.Events(), Port: rec.LocalPort(),
	}
	a.enter(classify(resp, err, ev))
	a.Untraced = classify(resp, err, untraced(ev.Request, resp != nil))
	a.Message, a.Printed, a.Resolver = message(resp, err), text(err), resolverOf(err)
	c.attempts = append(c.attempts, a)
	return a, ans, nil
}

// unfinished says why a run ended, and how far its attempt was.
func unfinished(ctx context.Context, rec *trace.Attempt) error {
	last := "before anything happened"
	if events := rec.Events(); len(events) > 1 { // the last is its end
		last = "after \"" + events[len(events)-2].What + "\""
	}
	return fmt.Errorf("attempt %d, %s: %w", rec.N, last, context.Cause(ctx))
}

// plainHTTP2: the transport speaks HTTP/2 on plain TCP, which the request does
// not show.
func (c *client) plainHTTP2() bool {
	return c.transport.Protocols != nil && c.transport.Protocols.UnencryptedHTTP2()
}

// contexts are those of the caller and of this attempt, and how to end both.
func (k call) contexts(ctx context.Context) (caller, attempt context.Context, end func()) {
	caller, end = ctx, func() {}
	if k.Caller != nil {
		caller, end = k.Caller(ctx)
	}
	attempt = caller
	if k.GiveUp != nil {
		endCaller, endAttempt := end, func() {}
		attempt, endAttempt = giveUp(caller, k.GiveUp)
		end = func() { endAttempt(); endCaller() }
	}
	if k.Hooks != nil {
		attempt = httptrace.WithClientTrace(attempt, k.Hooks)
	}
	return caller, attempt, end
}

// request is the call as net/http takes it.
func (k call) request(ctx context.Context, url string, n int) (*http.Request, error) {
	method, body := k.Method, k.Body
	if method == "" {
		method = http.MethodPost
	}
	if body == nil && (method == http.MethodPost || method == http.MethodPut) {
		body = strings.NewReader(defaultBody)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	if k.Size > 0 {
		req.ContentLength = k.Size
	}
	req.Header.Set(servers.AttemptHeader, strconv.Itoa(n))
	if k.Key != "" {
		req.Header.Set(servers.KeyHeader, k.Key)
	}
	if k.Expect {
		req.Header.Set("Expect", "100-continue")
	}
	return req, nil
}

// roundTrip sends the request and reads the answer to its end.
func (c *client) roundTrip(rec *trace.Attempt, req *http.Request, answered func()) (*http.Response, answer, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, answer{Err: err}, err
	}
	rec.Answered()
	if answered != nil {
		answered()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp, answer{Header: resp.Header, Body: string(body), Err: err}, err
}

// warmUp makes a connection ready, or busy, with a request that is none of the
// row's: GET on servers.WarmUpPath, without an attempt's number.
func (c *client) warmUp(ctx context.Context, root string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, root+servers.WarmUpPath, nil)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	resp, err := (&http.Client{Transport: c.transport}).Do(req) // without the case's own timers
	if err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)); err != nil {
		return fmt.Errorf("warm up: %w", err)
	}
	return nil
}

// classify judges what came back, knowing nothing of the case.
func classify(resp *http.Response, err error, ev classifier.Evidence) classifier.Failure {
	if !statusDecides(resp, err) {
		f := classifier.FromError(err, ev)
		if resp != nil {
			f.Status = resp.StatusCode // its body broke off
		}
		return f
	}
	return classifier.FromResponse(classifier.Response{
		Status: resp.StatusCode, Header: resp.Header, Received: time.Now(), Earlier: ev.Earlier(),
	})
}

// statusDecides: there is an answer, whole or with an error status; that is
// the failure then, whether or not its body arrived.
func statusDecides(resp *http.Response, err error) bool {
	return err == nil || resp != nil && resp.StatusCode >= 400
}

// enter copies a failure into the attempt's own fields.
func (a *Attempt) enter(f classifier.Failure) {
	a.Failure = f
	a.Code, a.Syscall, a.Phase = f.Code, f.Syscall, f.Phase
	a.Processed, a.Basis, a.Status = f.Processed, f.Basis, f.Status
	a.WaitMS = ms(f.Server.Wait)
}

// message is the error's text without the method and URL that *url.Error puts
// in front, or the status line.
func message(resp *http.Response, err error) string {
	if statusDecides(resp, err) {
		return resp.Status
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	return err.Error()
}

// resolverOf is the server that a lookup's error names: that of resolv.conf,
// though the lab's resolver was asked in its place.
func resolverOf(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.Server
	}
	return ""
}

// close gives the client's connections back and ends its dials.
func (c *client) close() {
	c.hangUp()
	c.transport.CloseIdleConnections()
	if c.engine != nil {
		c.engine.CloseIdleConnections()
	}
}

package retry_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
)

func TestABodyIsSentAgainAsItWas(t *testing.T) {
	text := strings.Repeat("0123456789", 1000)
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, []byte("skipped"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		why    string
		body   func() io.Reader
		limit  int64
		again  bool
		reason classifier.Reason
	}{
		{"a string", func() io.Reader { return strings.NewReader(text) }, 0, true, ""},
		{"a file, from where it stood", func() io.Reader {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Seek(7, io.SeekStart); err != nil {
				t.Fatal(err)
			}
			return f
		}, 1, true, ""},
		{"a stream that is kept", func() io.Reader { return oneWay{strings.NewReader(text)} }, 0, true, ""},
		{"a stream that just fits", func() io.Reader { return oneWay{strings.NewReader(text)} }, int64(len(text)), true, ""},
		{"a stream that is too long", func() io.Reader { return oneWay{strings.NewReader(text)} }, int64(len(text)) - 1, false, classifier.BodyGone},
		{"a stream of which nothing may be kept", func() io.Reader { return oneWay{strings.NewReader(text)} }, -1, false, classifier.BodyGone},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := play(status(503), status(200))
				tr := &retry.Transport{Base: base, Policy: retry.Policy{BufferBody: row.limit}}
				body := row.body()
				r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://lab/", body)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := tr.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				read(t, resp)
				want := 1
				if row.again {
					want = 2
				}
				if len(base.sent) != want {
					t.Fatalf("%d requests, want %d: %+v", len(base.sent), want, retry.Attempts(resp))
				}
				for i, s := range base.sent {
					if s.body != text {
						t.Errorf("attempt %d sent %d bytes, want %d", i+1, len(s.body), len(text))
					}
				}
				if a := retry.Attempts(resp)[0]; !row.again && a.Reason != row.reason {
					t.Errorf("not sent again because of %s, want %s", a.Reason, row.reason)
				}
				if f, ok := body.(*os.File); ok {
					if _, err := f.Stat(); !errors.Is(err, os.ErrClosed) {
						t.Errorf("the file is still open: %v", err)
					}
				}
			})
		})
	}
}

// A dial that failed has read nothing, so that even a stream that nobody keeps
// is whole.
func TestAStreamThatWasNotReadIsWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := &undialled{err: refusedDial()}
		tr := &retry.Transport{Base: base, Policy: retry.Policy{BufferBody: -1}}
		body := &closing{Reader: strings.NewReader("x")}
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://lab/", body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tr.RoundTrip(r); err == nil || base.calls != 3 {
			t.Errorf("%v after %d requests, want 3", err, base.calls)
		}
		if body.times != 1 {
			t.Errorf("the body was closed %d times, want once", body.times)
		}
	})
}

// closing counts its Closes.
type closing struct {
	io.Reader
	times int
}

func (c *closing) Close() error { c.times++; return nil }

// The first answer comes while the body is half sent, and what was read of it
// is not lost for the second attempt.
func TestABodyThatWasHalfReadIsSentWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		early := func(r *http.Request) (*http.Response, error) {
			if _, err := io.CopyN(io.Discard, r.Body, 3); err != nil {
				return nil, err
			}
			go func() { // as net/http may
				time.Sleep(100 * time.Millisecond)
				r.Body.Close()
			}()
			return status(503)(r)
		}
		var got []byte
		whole := func(r *http.Request) (*http.Response, error) {
			var err error
			if got, err = io.ReadAll(r.Body); err != nil {
				return nil, err
			}
			r.Body.Close()
			return status(200)(r)
		}
		tr := &retry.Transport{Base: unread(early, whole)}
		r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://lab/", oneWay{strings.NewReader("amount=4200")})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if string(got) != "amount=4200" {
			t.Errorf("the second attempt sent %q", got)
		}
	})
}

// roundTrips is a base of functions, one a request.
type roundTrips struct{ steps []step }

func unread(steps ...step) *roundTrips { return &roundTrips{steps} }

func (b *roundTrips) RoundTrip(r *http.Request) (*http.Response, error) {
	next := b.steps[0]
	if len(b.steps) > 1 {
		b.steps = b.steps[1:]
	}
	return next(r)
}

func TestABodyThatTheBaseDoesNotLetGoEndsTheOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forgetful := func(r *http.Request) (*http.Response, error) { return status(503)(r) }
		tr := &retry.Transport{Base: unread(forgetful), Policy: steady()}
		r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://lab/", oneWay{strings.NewReader("x")})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = tr.RoundTrip(r)
		e, ok := err.(*retry.Error)
		if !ok || e.Reason != retry.BodyInUse || time.Since(start) != 2*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestABodyOfTheCallersThatFailsIsNotTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("export stopped")
		base := play(status(200))
		tr := &retry.Transport{Base: base}
		r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://lab/", io.MultiReader(strings.NewReader("half"), broken{why}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tr.RoundTrip(r); err != why {
			t.Errorf("got %v, want the body's own error", err)
		}
		r, err = http.NewRequestWithContext(t.Context(), "PUT", "http://lab/", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		r.GetBody = func() (io.ReadCloser, error) { return nil, why }
		if _, err := (&retry.Transport{Base: play(status(503))}).RoundTrip(r); !errors.Is(err, why) {
			t.Errorf("got %v, want the error of GetBody in it", err)
		}
	})
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func TestChangesThatAnAnswerAsksForAreMadeOnce(t *testing.T) {
	rows := []struct {
		why    string
		body   func() io.Reader
		header string
		base   *script
		want   int
		check  func(*testing.T, []sent)
	}{
		{"411: the length is sent", func() io.Reader { return oneWay{strings.NewReader("amount=4200")} }, "", play(status(411), status(200)), 2,
			func(t *testing.T, s []sent) {
				if s[0].length != 0 || s[1].length != 11 || s[1].body != "amount=4200" {
					t.Errorf("lengths %d and %d, body %q", s[0].length, s[1].length, s[1].body)
				}
			}},
		{"411, though the length was sent", func() io.Reader { return strings.NewReader("x") }, "", play(status(411)), 1, nil},
		{"417, though nothing was expected", func() io.Reader { return strings.NewReader("x") }, "", play(status(417)), 1, nil},
		{"411 to a body that has none", func() io.Reader { return nil }, "", play(status(411)), 1, nil},
		{"417: without Expect", func() io.Reader { return strings.NewReader("x") }, "Expect", play(status(417), status(200)), 2,
			func(t *testing.T, s []sent) {
				if s[0].header.Get("Expect") == "" || s[1].header.Get("Expect") != "" {
					t.Errorf("headers %v, then %v", s[0].header, s[1].header)
				}
			}},
		{"421: on another connection", func() io.Reader { return strings.NewReader("x") }, "", play(status(421), status(200)), 2,
			func(t *testing.T, s []sent) {
				if s[0].close || !s[1].close {
					t.Error("not on a connection of its own")
				}
			}},
		{"421 again: once is enough", func() io.Reader { return strings.NewReader("x") }, "", play(status(421)), 2, nil},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				r, err := http.NewRequestWithContext(t.Context(), "POST", "http://lab/", row.body())
				if err != nil {
					t.Fatal(err)
				}
				if row.header != "" {
					r.Header.Set(row.header, "100-continue")
				}
				resp, err := (&retry.Transport{Base: row.base}).RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				read(t, resp)
				if len(row.base.sent) != row.want || time.Since(start) != 0 {
					t.Fatalf("%d requests in %v, want %d at once", len(row.base.sent), time.Since(start), row.want)
				}
				if row.check != nil {
					row.check(t, row.base.sent)
				}
				if r, _ := retry.ReportOf(resp); r.Outcome() != map[bool]string{true: "success", false: "failed"}[resp.StatusCode == 200] {
					t.Errorf("the outcome of %d is %s", resp.StatusCode, r.Outcome())
				}
			})
		})
	}
}

func TestFreshCredentialsAreSentOnce(t *testing.T) {
	login := func(t *testing.T, calls *int, err error) func(context.Context, *http.Request, *http.Response) error {
		return func(_ context.Context, next *http.Request, refused *http.Response) error {
			*calls++
			if refused.StatusCode != 401 || refused.Header.Get("Www-Authenticate") == "" {
				t.Errorf("refused is %+v", refused)
			}
			next.Header.Set("Authorization", "Bearer fresh")
			return err
		}
	}
	challenge := status(401, "WWW-Authenticate", "Bearer")
	rows := []struct {
		why    string
		base   *script
		most   int // MaxAttempts
		err    error
		status int
		sent   int
		calls  int
	}{
		{"then it works", play(challenge, status(200)), 1, nil, 200, 2, 1},
		{"or not, and that is that", play(challenge), 3, nil, 401, 2, 1},
		{"what comes after has its attempts", play(challenge, status(503), status(200)), 2, nil, 200, 3, 1},
		{"no credentials to be had", play(challenge), 3, errors.New("no"), 401, 1, 1},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				p := retry.Policy{MaxAttempts: row.most, RefreshAuth: login(t, &calls, row.err)}
				r := request(t, t.Context(), "POST", "amount=4200")
				resp, err := (&retry.Transport{Base: row.base, Policy: p}).RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				read(t, resp)
				if resp.StatusCode != row.status || len(row.base.sent) != row.sent || calls != row.calls {
					t.Errorf("%d after %d requests and %d refreshes; want %d, %d, %d", resp.StatusCode, len(row.base.sent), calls, row.status, row.sent, row.calls)
				}
				for i, s := range row.base.sent {
					if fresh := s.header.Get("Authorization") == "Bearer fresh"; fresh != (i > 0 && row.err == nil) || s.body != "amount=4200" {
						t.Errorf("request %d: %+v", i+1, s)
					}
				}
				if r.Header.Get("Authorization") != "" {
					t.Error("the caller's request was changed")
				}
			})
		})
	}
}

func TestKeysAreMadeOnceAndTrustedAsLongAsTheyLive(t *testing.T) {
	rows := []struct {
		why    string
		key    *retry.KeyPolicy
		method string
		own    string // what the request comes with
		base   *script
		sent   int
		want   string // the key; "*": any
	}{
		{"none is made where none is wanted", &retry.KeyPolicy{}, "POST", "", play(status(500)), 1, ""},
		{"the request's own is trusted", &retry.KeyPolicy{}, "POST", "mine", play(status(500)), 3, "mine"},
		{"made for each write", &retry.KeyPolicy{Auto: true}, "POST", "", play(status(500)), 3, "*"},
		{"but not for a read", &retry.KeyPolicy{Auto: true}, "GET", "", play(status(500)), 3, ""},
		{"nor where there is one", &retry.KeyPolicy{Auto: true}, "POST", "mine", play(status(500)), 3, "mine"},
		{"a fixed one", &retry.KeyPolicy{Value: "fixed"}, "POST", "", play(status(500)), 3, "fixed"},
		{"by a function", &retry.KeyPolicy{New: func(r *http.Request) (string, error) { return "for" + r.URL.Path, nil }}, "POST", "", play(status(500)), 3, "for/charge"},
		{"a key outlives its server's memory", &retry.KeyPolicy{Auto: true, TTL: 3 * time.Second}, "POST", "", play(status(500)), 2, "*"},
		{"or would by the end of the wait", &retry.KeyPolicy{Auto: true, TTL: time.Second}, "POST", "", play(status(500)), 1, "*"},
		{"which harms nobody who did no work", &retry.KeyPolicy{Auto: true, TTL: time.Second}, "POST", "", play(status(503)), 3, "*"},
		{"a stored error stays what it is", &retry.KeyPolicy{Auto: true, StoresErrors: true}, "POST", "", play(status(500)), 1, "*"},
		{"in flight: wait, and the same key", &retry.KeyPolicy{Auto: true}, "POST", "", play(status(409), status(200)), 2, "*"},
		{"it exists already: nothing is in flight", &retry.KeyPolicy{Auto: true}, "POST", "", play(answer(409, "order already exists", "Content-Type", "text/plain")), 1, "*"},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := steady()
				p.Key = row.key
				body := ""
				if row.method == "POST" {
					body = "amount=4200"
				}
				r := request(t, t.Context(), row.method, body)
				if row.own != "" {
					r.Header.Set("Idempotency-Key", row.own)
				}
				resp, err := (&retry.Transport{Base: row.base, Policy: p}).RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				text := read(t, resp)
				if resp.StatusCode == 409 && text != "order already exists" {
					t.Errorf("the body was read: %q", text)
				}
				if len(row.base.sent) != row.sent {
					t.Errorf("%d requests, want %d: %+v", len(row.base.sent), row.sent, retry.Attempts(resp))
				}
				for _, s := range row.base.sent {
					key := s.header.Get("Idempotency-Key")
					if key != row.base.sent[0].header.Get("Idempotency-Key") || row.want == "*" && len(key) != 36 || row.want != "*" && key != row.want {
						t.Errorf("key %q, want %q", key, row.want)
					}
				}
			})
		})
	}
}

func TestARedirectIsNotForgotten(t *testing.T) {
	rows := []struct {
		why    string
		method string
		status int
		want   classifier.Processed
		basis  classifier.Basis
	}{
		{"the POST was acted on", "POST", 303, classifier.Yes, classifier.Claimed},
		{"as with 302", "POST", 302, classifier.Yes, classifier.Claimed},
		{"with 307 it was not, says its server", "POST", 307, classifier.Never, classifier.Claimed},
		{"what a GET came from asks for nothing", "GET", 302, classifier.Never, classifier.Guaranteed},
	}
	for _, row := range rows {
		t.Run(row.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := request(t, t.Context(), row.method, "")
				hop := request(t, t.Context(), "GET", "")
				hop.Response = &http.Response{StatusCode: row.status, Request: first}
				var report retry.Report
				p := retry.Policy{OnDone: func(r retry.Report) { report = r }}
				_, err := (&retry.Transport{Base: &http.Transport{DialContext: refusing}, Policy: p}).RoundTrip(hop)
				e, ok := err.(*retry.Error)
				if !ok || e.Processed != row.want || report.Basis != row.basis || len(e.Attempts) != 3 {
					t.Errorf("%v; report %+v", err, report)
				}
			})
		})
	}
}

func TestALargeBodyIsNotCopied(t *testing.T) {
	const requests = 20
	payload := bytes.Repeat([]byte("x"), 1<<20)
	tr := &retry.Transport{Base: newReused()}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range requests {
		r, err := http.NewRequestWithContext(t.Context(), "PUT", "http://lab/", bytes.NewReader(payload))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tr.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if size := (after.TotalAlloc - before.TotalAlloc) / requests; size > 64<<10 {
		t.Errorf("%d bytes for each request with a body of 1 MiB", size)
	}
}

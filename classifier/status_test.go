package classifier_test

import (
	"math"
	"net/http"
	"testing"

	"pgregory.net/rapid"

	"github.com/retry-lab/retry-lab/classifier"
)

var (
	get      = classifier.Request{Method: "GET", BodyReplayable: true}
	post     = classifier.Request{Method: "POST", BodyReplayable: true}
	postKey  = classifier.Request{Method: "POST", BodyReplayable: true, Key: true, KeyHonoured: true}
	lazyKey  = classifier.Request{Method: "POST", BodyReplayable: true, Key: true}
	requests = []classifier.Request{get, post, postKey}
)

// cell is what a table prints for a verdict.
func cell(v classifier.Verdict) string {
	switch v {
	case classifier.Retry:
		return "y"
	case classifier.RetryModified:
		return "m"
	}
	return "n"
}

// cells are the three cells of a row: GET, bare POST, keyed POST.
func cells(f classifier.Failure, p classifier.Policy) string {
	s := ""
	for _, r := range requests {
		s += cell(classifier.Decide(f, r, p).Verdict)
	}
	return s
}

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}
	return h
}

func TestStatusesGetTheCellsOfTheMatrix(t *testing.T) {
	for _, row := range []struct {
		status    int
		header    http.Header
		want      string
		processed classifier.Processed
		basis     classifier.Basis
		why       string
	}{
		{200, nil, "nnn", classifier.Yes, classifier.Claimed, "a success is not sent again"},
		{202, nil, "nnn", classifier.Yes, classifier.Claimed, "accepted work is polled, not sent again"},
		{303, nil, "nnn", classifier.Yes, classifier.Claimed, "see other: the POST was processed"},
		{304, nil, "nnn", classifier.Yes, classifier.Claimed, "not modified is an answer"},
		{307, nil, "nnn", classifier.Never, classifier.Claimed, "belongs elsewhere"},
		{400, nil, "nnn", classifier.Never, classifier.Claimed, "the same request gets the same answer"},
		{401, nil, "nnn", classifier.Never, classifier.Claimed, "a fresh credential is a new call"},
		{403, nil, "nnn", classifier.Never, classifier.Claimed, "refused"},
		{403, header("Retry-After", "1"), "yyy", classifier.Never, classifier.Claimed, "a rate limit in the clothes of a 403"},
		{403, header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "20"), "yyy", classifier.Never, classifier.Claimed, "the same, GitHub's older form"},
		{403, header("X-RateLimit-Remaining", "5", "X-RateLimit-Reset", "20"), "nnn", classifier.Never, classifier.Claimed, "quota is left, so it is a refusal"},
		{404, nil, "nnn", classifier.Never, classifier.Claimed, "no such thing"},
		{408, nil, "yyy", classifier.Never, classifier.Claimed, "the server did not receive a whole request"},
		{409, nil, "nny", classifier.Never, classifier.Claimed, "keyed: the first is still running"},
		{410, nil, "nnn", classifier.Never, classifier.Claimed, "gone"},
		{411, nil, "mmm", classifier.Never, classifier.Claimed, "with a length"},
		{413, nil, "nnn", classifier.Never, classifier.Claimed, "too large, and it will stay so"},
		{413, header("Retry-After", "1"), "yyy", classifier.Never, classifier.Claimed, "too large for now"},
		{413, header("RateLimit", `"d";r=0;t=1`), "nnn", classifier.Never, classifier.Claimed, "a quota says nothing about size"},
		{417, nil, "mmm", classifier.Never, classifier.Claimed, "without Expect"},
		{421, nil, "mmm", classifier.Never, classifier.Guaranteed, "over another connection"},
		{422, nil, "nnn", classifier.Never, classifier.Claimed, "understood and refused"},
		{423, nil, "nnn", classifier.Never, classifier.Claimed, "locked, for who knows how long"},
		{423, header("Retry-After", "1"), "yyy", classifier.Never, classifier.Claimed, "locked, until then"},
		{425, nil, "yyy", classifier.Never, classifier.Claimed, "once, after the handshake"},
		{429, nil, "yyy", classifier.Never, classifier.Claimed, "rate limit"},
		{429, header("Retry-After", "1"), "yyy", classifier.Never, classifier.Claimed, "rate limit with a time"},
		{449, nil, "yny", classifier.Maybe, classifier.Assumed, "unregistered; only a repeatable request"},
		{499, nil, "yny", classifier.Maybe, classifier.Assumed, "a proxy's log code, passed on"},
		{500, nil, "yny", classifier.Maybe, classifier.Assumed, "may have worked before it broke"},
		{501, nil, "nnn", classifier.Never, classifier.Claimed, "never will"},
		{502, nil, "yny", classifier.Maybe, classifier.Assumed, "the origin may have worked"},
		{503, nil, "yyy", classifier.Never, classifier.Claimed, "the server is taken at its word"},
		{503, header("Retry-After", "1"), "yyy", classifier.Never, classifier.Claimed, "load is being shed"},
		{504, nil, "yny", classifier.Maybe, classifier.Assumed, "the origin may still be working"},
		{505, nil, "nnn", classifier.Never, classifier.Claimed, "never will"},
		{507, nil, "nnn", classifier.Maybe, classifier.Assumed, "not without a user's action"},
		{507, header("Retry-After", "1"), "nnn", classifier.Maybe, classifier.Assumed, "not even with a time"},
		{511, nil, "nnn", classifier.Never, classifier.Claimed, "the network wants a login"},
		{521, nil, "yyy", classifier.Never, classifier.Claimed, "Cloudflare could not connect"},
		{522, nil, "yny", classifier.Maybe, classifier.Assumed, "has two causes, one of them after the request"},
		{526, nil, "nnn", classifier.Never, classifier.Claimed, "the origin's certificate is bad"},
		{529, nil, "yyy", classifier.Never, classifier.Claimed, "overloaded"},
		{599, nil, "yny", classifier.Maybe, classifier.Assumed, "an informal code is not trusted with never"},
		{430, nil, "nnn", classifier.Never, classifier.Claimed, "Shopify: a rejection"},
		{470, nil, "nnn", classifier.Never, classifier.Claimed, "nobody's: as 400"},
		{580, nil, "yny", classifier.Maybe, classifier.Assumed, "nobody's: as 500"},
	} {
		f := classifier.FromResponse(classifier.Response{Status: row.status, Header: row.header})
		if got := cells(f, classifier.Policy{}); got != row.want {
			t.Errorf("FromResponse(%d %v): GET, POST, POST+KEY = %s, want %s: %s", row.status, row.header, got, row.want, row.why)
		}
		if f.Processed != row.processed || f.Basis != row.basis {
			t.Errorf("FromResponse(%d %v): processed %s (%s), want %s (%s): %s",
				row.status, row.header, f.Processed, f.Basis, row.processed, row.basis, row.why)
		}
		if f.Phase != classifier.PhaseAnswered || f.Syscall != "" || f.Status != row.status {
			t.Errorf("FromResponse(%d) = %+v: want phase answered, no syscall, the status", row.status, f)
		}
	}
}

func TestAKeyThatNobodyHonoursIsNoKey(t *testing.T) {
	for status := range 600 {
		f := classifier.FromResponse(classifier.Response{Status: status})
		got, want := classifier.Decide(f, lazyKey, classifier.Policy{}), classifier.Decide(f, post, classifier.Policy{})
		if got != want {
			t.Errorf("%d with an unhonoured key: %+v, without: %+v", status, got, want)
		}
	}
}

// The IANA registry of HTTP status codes, as RFC 9110 section 16.2 opened it.
var registered = []int{
	100, 101, 102, 103, 104,
	200, 201, 202, 203, 204, 205, 206, 207, 208, 226,
	300, 301, 302, 303, 304, 305, 306, 307, 308,
	400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418,
	421, 422, 423, 424, 425, 426, 428, 429, 431, 451,
	500, 501, 502, 503, 504, 505, 506, 507, 508, 510, 511,
}

func TestEveryRegisteredStatusHasARow(t *testing.T) {
	statuses := registered
	for status := range 600 {
		if http.StatusText(status) != "" {
			statuses = append(statuses, status)
		}
	}
	for _, status := range statuses {
		f := classifier.FromResponse(classifier.Response{Status: status})
		if source := f.Source(); source == "RFC 9110 section 15" {
			t.Errorf("status %d has no row of its own", status)
		}
	}
}

func TestEveryIntegerGetsAnAnswer(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, status int) {
		f := classifier.FromResponse(classifier.Response{Status: status})
		for _, r := range []classifier.Request{get, post, postKey, {}} {
			d := classifier.Decide(f, r, classifier.Policy{})
			if d.Reason.Sentence() == "" || d.Reason.Source() == "" || f.Source() == "" {
				t.Fatalf("Decide(%d, %s) = %+v: a reason without sentence or source", status, r.Method, d)
			}
			if outside := status < 100 || status > 599; outside {
				five := classifier.FromResponse(classifier.Response{Status: 500})
				if want := classifier.Decide(five, r, classifier.Policy{}); d != want {
					t.Fatalf("Decide(%d, %s) = %+v, want as 500: %+v", status, r.Method, d, want)
				}
			}
		}
	}
	for _, status := range []int{0, -1, 99, 600, 999, math.MaxInt, math.MinInt} {
		check(t, status)
	}
	for status := range 1000 {
		check(t, status)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Int().Draw(t, "status")) })
}

func TestUnknownStatusIsTheFirstOfItsClass(t *testing.T) {
	for status := 100; status < 600; status++ {
		f := classifier.FromResponse(classifier.Response{Status: status})
		if f.Source() != "RFC 9110 section 15" {
			continue // it has a row
		}
		first := classifier.FromResponse(classifier.Response{Status: status / 100 * 100})
		for _, r := range requests {
			got, want := classifier.Decide(f, r, classifier.Policy{}), classifier.Decide(first, r, classifier.Policy{})
			if got != want {
				t.Errorf("Decide(%d, %s) = %+v, want as %d: %+v", status, r.Method, got, status/100*100, want)
			}
		}
	}
}

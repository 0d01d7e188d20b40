package classifier_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

func TestAGatewayIsNotTakenAtItsWordForTheOrigin(t *testing.T) {
	marks := []http.Header{
		header("Via", "1.1 lab-gateway"),
		header("Proxy-Status", "lab-gateway"),
		header("CF-RAY", "230b030023ae2822-SJC"),
		header("X-Envoy-Upstream-Service-Time", "12"),
		header("X-Amz-Cf-Id", "a"), header("X-Cache", "MISS"), header("X-Served-By", "cache-1"),
		header("Fly-Request-Id", "a"), header("X-Vercel-Id", "a"),
	}
	for _, server := range []string{
		"envoy", "istio-envoy", "nginx/1.27.1", "openresty/1.25", "cloudflare", "awselb/2.0", "AkamaiGHost",
		"Varnish", "gws", "Google Frontend", "Microsoft-Azure-Application-Gateway/v2", "Caddy", "Cowboy",
		"haproxy", "ATS/9.2.0", "Nginx",
	} {
		marks = append(marks, header("Server", server))
	}
	for _, mark := range marks {
		for _, status := range []int{408, 503} {
			f := classifier.FromResponse(classifier.Response{Status: status, Header: mark})
			if f.Processed != classifier.Maybe || f.Basis != classifier.Assumed || !f.Server.Gateway {
				t.Errorf("%d with %v: %+v, want maybe, assumed, gateway", status, mark, f)
			}
			if got := cells(f, classifier.Policy{}); got != "yny" {
				t.Errorf("%d with %v: cells %s, want yny", status, mark, got)
			}
			shed := mark.Clone()
			shed.Set("Retry-After", "1")
			f = classifier.FromResponse(classifier.Response{Status: status, Header: shed})
			if got := cells(f, classifier.Policy{}); got != "yyy" || f.Processed != classifier.Never {
				t.Errorf("%d with %v: cells %s, processed %s, want yyy, never: it says when", status, shed, got, f.Processed)
			}
		}
		f := classifier.FromResponse(classifier.Response{Status: 429, Header: mark})
		if f.Processed != classifier.Never {
			t.Errorf("429 with %v: processed %s, want never: a gateway's rate limit is its own", mark, f.Processed)
		}
	}
}

func TestOrdinaryServersAreNoGateway(t *testing.T) {
	for _, h := range []http.Header{
		header("Server", "Apache/2.4"), header("Server", "gunicorn"), header("Server", ""), header("X-Request-Id", "a"),
		header("X-Powered-By", "nginx"), header("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
	} {
		f := classifier.FromResponse(classifier.Response{Status: 503, Header: h})
		if f.Server.Gateway || f.Processed != classifier.Never {
			t.Errorf("503 with %v: %+v, want no gateway, never", h, f)
		}
	}
}

func TestStrictWantsEvidence(t *testing.T) {
	strict := classifier.Policy{Strict: true}
	for _, row := range []struct {
		status int
		header http.Header
		want   string
		why    string
	}{
		{503, nil, "yny", "a bare claim"},
		{408, nil, "yny", "a bare claim"},
		{503, header("Retry-After", "1"), "yyy", "says when"},
		{503, header("Retry-After", "soon"), "yny", "says nothing"},
		{408, header("Retry-After", "0"), "yyy", "says when"},
		{503, header("Proxy-Status", "p; error=connection_refused"), "yyy", "never forwarded"},
		{503, header("X-Envoy-Overloaded", "true"), "yyy", "dropped"},
		{429, nil, "yyy", "only 503 and 408 are doubted"},
		{425, nil, "yyy", "only 503 and 408 are doubted"},
		{500, nil, "yny", "as without"},
	} {
		f := classifier.FromResponse(classifier.Response{Status: row.status, Header: row.header})
		if got := cells(f, strict); got != row.want {
			t.Errorf("strict, %d %v: %s, want %s: %s", row.status, row.header, got, row.want, row.why)
		}
	}
}

func TestProxyStatusTellsWhetherTheOriginWasReached(t *testing.T) {
	const never, maybe, permanent = "yyy", "yny", "nnn"
	for _, row := range []struct{ value, want, why string }{
		{`gw; error=connection_refused`, never, "no connection to the next hop"},
		{`gw;error=dns_timeout`, never, "without the space"},
		{`"gw.example"; error=connection_timeout; details="a, \"b\"; error=x"`, never, "what a string holds is no parameter"},
		{`gw; next-hop=1.2.3.4; error=destination_unavailable`, never, "other parameters before"},
		{`gw; error=proxy_internal_response`, never, "answered without trying"},
		{`gw; error=connection_terminated`, maybe, "may come after the request"},
		{`gw; error=http_response_timeout`, maybe, "the request was sent"},
		{`gw; error=tls_protocol_error`, maybe, "in the handshake or after it"},
		{`gw; error=some_new_word`, maybe, "not in the list"},
		{`gw`, maybe, "names no error"},
		{`gw; error`, maybe, "an error without a name"},
		{`gw; error=connection_refused error=x`, maybe, "malformed: ignored"},
		{`gw; error=connection_refused,`, maybe, "malformed: a comma too many"},
		{`gw; ERROR=connection_refused`, maybe, "malformed: keys are lower-case"},
		{`gw; error="connection_refused`, maybe, "malformed: no closing quote"},
		{`a; error=connection_refused, b; error=connection_terminated`, maybe, "every hop must be before"},
		{`a; error=connection_terminated, b; error=connection_refused`, maybe, "every hop must be before"},
		{`a; error=connection_refused, b`, never, "the other hop only passed it on"},
		{`a; error=destination_not_found`, permanent, "nearest the origin, will not pass"},
		{`a; error=http_request_denied, b; error=connection_refused`, permanent, "nearest the origin, will not pass"},
		{`a; error=connection_refused, b; error=http_request_denied`, never, "nearest the origin decides"},
		{``, maybe, "empty"},
	} {
		for _, status := range []int{502, 503, 504} {
			f := classifier.FromResponse(classifier.Response{Status: status, Header: header("Proxy-Status", row.value)})
			if got := cells(f, classifier.Policy{}); got != row.want {
				t.Errorf("%d, Proxy-Status: %s: %s, want %s: %s", status, row.value, got, row.want, row.why)
			}
			if f.Basis == classifier.Guaranteed {
				t.Errorf("%d, Proxy-Status: %s: guaranteed; a proxy's word is a claim", status, row.value)
			}
		}
		f := classifier.FromResponse(classifier.Response{Status: 500, Header: header("Proxy-Status", row.value)})
		if f.Processed != classifier.Maybe {
			t.Errorf("500, Proxy-Status: %s: processed %s, want maybe: 500 is no proxy's answer", row.value, f.Processed)
		}
	}
}

func TestAProxyThatNeverForwardedIsTheReason(t *testing.T) {
	f := classifier.FromResponse(classifier.Response{Status: 502, Header: header("Proxy-Status", "gw; error=connection_refused")})
	d := classifier.Decide(f, post, classifier.Policy{})
	if d.Verdict != classifier.Retry || d.Reason != classifier.ProxyNotForwarded || d.Wait != 0 {
		t.Errorf("Decide = %+v, want retry, proxy-not-forwarded", d)
	}
}

func TestProxyStatusOnSeveralLinesIsOneList(t *testing.T) {
	f := classifier.FromResponse(classifier.Response{Status: 502,
		Header: header("Proxy-Status", "a; error=connection_refused", "Proxy-Status", "b; error=connection_terminated")})
	if f.Processed != classifier.Maybe {
		t.Errorf("processed %s, want maybe: the second line's hop may have sent it", f.Processed)
	}
}

func TestAProxysCounterEvidenceOutweighsRetryAfter(t *testing.T) {
	f := classifier.FromResponse(classifier.Response{Status: 503,
		Header: header("Proxy-Status", "a; error=connection_read_timeout", "Retry-After", "1")})
	if got := cells(f, classifier.Policy{}); got != "yny" || f.Server.Shed {
		t.Errorf("cells %s, shed %t, want yny, false", got, f.Server.Shed)
	}
}

func TestAServersVetoIsObeyed(t *testing.T) {
	for _, h := range []http.Header{
		header("X-Should-Retry", "false"), header("Stripe-Should-Retry", "false"), header("Idempotent-Replayed", "true"),
		header("Grpc-Retry-Pushback-Ms", "-1"), header("Grpc-Retry-Pushback-Ms", "soon"),
	} {
		for _, row := range []struct {
			status  int
			request classifier.Request
			want    classifier.Verdict
			why     string
		}{
			{500, get, classifier.Fail, "a GET did nothing, and would do so again"},
			{500, postKey, classifier.Fail, "the stored answer comes back for ever"},
			{500, post, classifier.Ambiguous, "not to be sent again, but nobody knows whether it worked"},
			{429, post, classifier.Fail, "refused for good"},
		} {
			f := classifier.FromResponse(classifier.Response{Status: row.status, Header: h})
			if d := classifier.Decide(f, row.request, classifier.Policy{}); d.Verdict != row.want {
				t.Errorf("%s, %d with %v: %s, want %s: %s", row.request.Method, row.status, h, d.Verdict, row.want, row.why)
			}
		}
	}
	for _, h := range []http.Header{header("X-Should-Retry", "true"), header("Idempotent-Replayed", "false")} {
		for _, status := range []int{400, 500} {
			f := classifier.FromResponse(classifier.Response{Status: status, Header: h})
			bare := classifier.FromResponse(classifier.Response{Status: status})
			if cells(f, classifier.Policy{}) != cells(bare, classifier.Policy{}) {
				t.Errorf("%d with %v differs from without: an encouragement changes nothing", status, h)
			}
		}
	}
	if f := classifier.FromResponse(classifier.Response{Status: 200, Header: header("Idempotent-Replayed", "true")}); f.Server.Veto {
		t.Error("a replayed success is a success")
	}
}

func TestAConflictThatExistsIsNotInFlight(t *testing.T) {
	for _, row := range []struct {
		body string
		want classifier.Verdict
	}{
		{"", classifier.Retry},
		{`{"error":"a request with this key is in progress"}`, classifier.Retry},
		{`{"error":"Order already exists"}`, classifier.Fail},
		{`{"code":"already_exists"}`, classifier.Fail},
		{strings.Repeat(" ", 5000) + "already exists", classifier.Retry}, // beyond what is read
	} {
		f := classifier.FromResponse(classifier.Response{Status: 409, Header: header("Date", "x"), Body: []byte(row.body)})
		if d := classifier.Decide(f, postKey, classifier.Policy{}); d.Verdict != row.want {
			t.Errorf("409 %.40q: %+v, want %s", row.body, d, row.want)
		}
		again := postKey
		again.AfterMaybe = true
		if d := classifier.Decide(f, again, classifier.Policy{}); row.want == classifier.Fail && d.Reason != classifier.PossiblyApplied {
			t.Errorf("409 %.40q after a maybe: %+v, want possibly-applied", row.body, d)
		}
	}
}

func TestAServersWaitIsNeverShortened(t *testing.T) {
	for _, row := range []struct {
		policy  classifier.Policy
		wait    string
		verdict classifier.Verdict
		why     string
	}{
		{classifier.Policy{}, "60", classifier.Retry, "MaxWait zero is 60 s"},
		{classifier.Policy{}, "61", classifier.Stop, "MaxWait zero is 60 s"},
		{classifier.Policy{MaxWait: 61 * time.Second}, "61", classifier.Retry, "as long as allowed"},
		{classifier.Policy{MaxWait: -1}, "1", classifier.Stop, "no wait is slept through"},
		{classifier.Policy{MaxWait: -1}, "0", classifier.Retry, "no wait at all"},
	} {
		f := classifier.FromResponse(classifier.Response{Status: 429, Header: header("Retry-After", row.wait)})
		d := classifier.Decide(f, post, row.policy)
		if d.Verdict != row.verdict || d.Wait != f.Server.Wait {
			t.Errorf("Retry-After %s, %+v: %+v, want %s and the whole wait: %s", row.wait, row.policy, d, row.verdict, row.why)
		}
	}
}

func TestABodyIsLookedAtThoughThereIsNoHeader(t *testing.T) {
	keyed := classifier.Request{Method: "POST", Key: true, KeyHonoured: true, BodyReplayable: true}
	for body, want := range map[string]classifier.Verdict{
		"":                                     classifier.Retry,
		`{"error":"the order already exists"}`: classifier.Fail,
	} {
		f := classifier.FromResponse(classifier.Response{Status: 409, Body: []byte(body)})
		if d := classifier.Decide(f, keyed, classifier.Policy{}); d.Verdict != want {
			t.Errorf("409 with body %q: %s (%s), want %s", body, d.Verdict, d.Reason, want)
		}
	}
}

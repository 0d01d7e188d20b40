package retry_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/retry"
	"github.com/retry-lab/retry-lab/servers"
)

// replaying is a base that sends a request again by itself, whatever its
// context says, and in the end could not connect.
type replaying struct{ sent int }

func (b *replaying) RoundTrip(r *http.Request) (*http.Response, error) {
	h := httptrace.ContextClientTrace(r.Context())
	for range 2 {
		h.GetConn("lab:80")
		h.GotConn(httptrace.GotConnInfo{Reused: true})
		h.WroteHeaders()
		h.WroteRequest(httptrace.WroteRequestInfo{})
		b.sent++
	}
	if r.Body != nil {
		r.Body.Close()
	}
	return nil, refusedDial()
}

func TestAReplayThatSlipsThroughIsCountedAndNothingIsNeverSentAnyMore(t *testing.T) {
	for _, body := range []string{"", "amount=4200"} {
		synctest.Test(t, func(t *testing.T) {
			base := &replaying{}
			var report retry.Report
			tr := &retry.Transport{Base: base, Policy: retry.Policy{OnDone: func(r retry.Report) { report = r }}}
			_, err := tr.RoundTrip(request(t, t.Context(), "POST", body))
			if err == nil || base.sent != 2 || len(report.Attempts) != 1 || report.Outcome() != "ambiguous" || report.Processed != classifier.Maybe {
				t.Errorf("body %q: %v after %d requests; report %+v", body, err, base.sent, report)
			}
			if report.Replays != 1 || tr.Stats().Replays != 1 {
				t.Errorf("body %q: %d and %d replays, want 1", body, report.Replays, tr.Stats().Replays)
			}
		})
	}
}

// net/http would send it again and keep for itself what broke the connection.
func TestWhatNetHTTPDoesNotSendAgainNamesItsCause(t *testing.T) {
	for _, row := range []struct {
		end, method, body string
		cause             error
	}{
		{servers.EndedFIN, "PUT", "amount=4200", io.EOF},
		{servers.EndedFIN, "GET", "", io.EOF},
		{servers.EndedRST, "PUT", "amount=4200", syscall.ECONNRESET},
		{servers.EndedRST, "GET", "", syscall.ECONNRESET},
	} {
		srv := servers.Must[*servers.Stale](t)(servers.NewStale(servers.StaleOptions{End: row.end}))
		tr := transport(t, quick(), nil)
		warm(t, tr, srv.URL())
		resp, err := sendTo(t, tr, t.Context(), row.method, srv.URL(), row.body, "")
		if err != nil {
			t.Fatal(err)
		}
		read(t, resp)
		if first := retry.Attempts(resp)[0]; !errors.Is(first.Err, row.cause) || strings.Contains(first.Err.Error(), "cancel") {
			t.Errorf("%s %s: the first attempt's error is %v, want %v in it", row.method, row.end, first.Err, row.cause)
		}
	}
}

package metrics

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/retry-lab/retry-lab/servers"
)

// get asks for a URL and reads the answer, on a connection that is not kept.
func get(t *testing.T, url string, header ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return // the fault
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
}

func TestAScrapeCountsWhatWasDelivered(t *testing.T) {
	o := servers.NewOrigin(t)
	call := o.Call("503", "reset", "200")
	for range 3 {
		get(t, call.URL(), servers.AttemptHeader, "1")
	}
	get(t, call.WarmURL())
	get(t, o.URL()+"/503")
	get(t, o.URL()+"/nowhere")

	w := httptest.NewRecorder()
	Handler(o).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("status %d, content type %q", w.Code, w.Header().Get("Content-Type"))
	}
	for _, want := range []string{
		`retry_lab_deliveries_total{fault="503"} 2`, `retry_lab_deliveries_total{fault="reset"} 1`,
		`retry_lab_deliveries_total{fault="200"} 1`, `retry_lab_warm_ups_total 1`, `retry_lab_replays_total 2`,
		`retry_lab_calls 1`, `retry_lab_calls_created_total 1`, `retry_lab_calls_evicted_total 0`,
		`retry_lab_strays_total 1`, `retry_lab_connections_total 6`, "# TYPE retry_lab_open_connections gauge",
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, w.Body)
		}
	}
}

func TestTheMetricsKeepToTheRulesOfPrometheus(t *testing.T) {
	o := servers.NewOrigin(t)
	get(t, o.URL()+"/503")
	problems, err := testutil.CollectAndLint(Collector(o))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

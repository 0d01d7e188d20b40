package servers

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// warm sends a first request, so that the client keeps its connection.
func warm(t *testing.T, c *http.Client, srv *Stale) {
	t.Helper()
	r, err := c.Get(srv.URL() + WarmUpPath)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, r.Body)
	r.Body.Close()
}

// numbered is a request of the client's attempt 1.
func numbered(t *testing.T, method, url, key, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(AttemptHeader, "1")
	if key != "" {
		req.Header.Set(KeyHeader, key)
	}
	return req
}

// What net/http sends again by itself (Request.isReplayable): safe methods and
// what has a key, PUT and DELETE not.
func TestNetHTTPReplaysOnAStaleConnectionByMethodAndKey(t *testing.T) {
	for _, end := range []string{EndedFIN, EndedRST} {
		for _, row := range []struct {
			why, method, key string
			deliveries       int
			committed        int
		}{
			{"a GET is replayed", "GET", "", 2, 0},
			{"a bare POST is not", "POST", "", 1, 1},
			{"a PUT is not, though it is idempotent", "PUT", "", 1, 1},
			{"a DELETE neither", "DELETE", "", 1, 1},
			{"a POST with a key is, and the server that honours it works once", "POST", "k", 2, 1},
		} {
			srv := Must[*Stale](t)(NewStale(StaleOptions{End: end}))
			c := client(t)
			warm(t, c, srv)
			r, err := c.Do(numbered(t, row.method, srv.URL(), row.key, "12 euros"))
			if err == nil {
				r.Body.Close()
			}
			replayed := row.deliveries == 2
			if replayed != (err == nil) {
				t.Errorf("%s, %s: %v", end, row.why, err)
			}
			rec := srv.Finish(time.Time{})
			asked := rec.Asked()
			if len(asked) != row.deliveries || rec.Committed() != row.committed || rec.Replays() != row.deliveries-1 {
				t.Errorf("%s, %s: %d deliveries, %d committed, %d replays; want %d, %d, %d", end, row.why,
					len(asked), rec.Committed(), rec.Replays(), row.deliveries, row.committed, row.deliveries-1)
			}
			if first := asked[0]; !first.Reused || first.Ended != end || first.Answered != 0 {
				t.Errorf("%s, %s: first delivery %+v", end, row.why, first)
			}
		}
	}
}

func TestAConnectionThatIsGoneLeavesAPortThatRefusesAndIsStillOurs(t *testing.T) {
	srv := Must[*Stale](t)(NewStale(StaleOptions{Gone: true}))
	c := client(t)
	warm(t, c, srv)
	_, err := c.Do(numbered(t, http.MethodPost, srv.URL(), "k", "12 euros"))
	if !errors.Is(err, syscall.ECONNREFUSED) || !strings.Contains(err.Error(), "dial tcp") {
		t.Fatalf("POST: %v, want dial: connection refused", err)
	}
	if _, err := net.Dial("tcp", srv.Addr()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dial: %v, want connection refused", err)
	}
	if ln, err := net.Listen("tcp", srv.Addr()); err == nil {
		ln.Close()
		t.Error("somebody else could have the port before Close")
	}
	rec := srv.Finish(time.Time{})
	if rec.Committed() != 1 || len(rec.Asked()) != 1 {
		t.Errorf("asked %+v, want one delivery, committed", rec.Asked())
	}
	if ln, err := net.Listen("tcp", srv.Addr()); err != nil {
		t.Errorf("Close did not give the port back: %v", err)
	} else {
		ln.Close()
	}
}

func TestAStaleConnectionEndsInOneOfTwoWays(t *testing.T) {
	if _, err := NewStale(StaleOptions{End: EndedKept}); err == nil {
		t.Error("NewStale(kept): no error")
	}
}

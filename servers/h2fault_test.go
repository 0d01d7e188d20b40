package servers

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// once is a body that cannot be taken again, so that net/http resends nothing.
func once(t *testing.T, c *http.Client, url string) error {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, struct{ io.Reader }{strings.NewReader("12 euros")})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 8
	r, err := c.Do(req)
	if err == nil {
		r.Body.Close()
	}
	return err
}

func TestHTTP2FaultsAreWhatTheLedgerSays(t *testing.T) {
	for _, tc := range []struct {
		fault     string
		says      []string // one of these is in the client's error
		committed bool
		ended     string
	}{
		{"goaway-above", []string{"graceful shutdown GOAWAY"}, false, EndedFIN},
		{"refused-stream", []string{"REFUSED_STREAM"}, false, EndedRST},
		{"goaway-below", []string{"server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR"}, true, EndedFIN},
		{"connection-lost", []string{"unexpected EOF"}, true, EndedFIN},
		// The kernel gives the reset to whoever asks first; after the writer
		// has had it, the reader gets an end of file.
		{"connection-reset", []string{"unexpected EOF", "connection reset by peer", "forcibly closed"}, true, EndedRST},
		{"protocol-error", []string{"PROTOCOL_ERROR"}, true, EndedRST},
		{"internal-error", []string{"INTERNAL_ERROR"}, true, EndedRST},
		{"cancel", []string{"CANCEL"}, true, EndedRST},
		{"enhance-your-calm", []string{"ENHANCE_YOUR_CALM"}, true, EndedRST},
		{"http11-required", []string{"HTTP_1_1_REQUIRED"}, true, EndedRST},
	} {
		t.Run(tc.fault, func(t *testing.T) {
			carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
				srv := Must[*Server](t)(NewHTTP2Fault(HTTP2FaultOptions{HTTP2Options: o, Fault: tc.fault}))
				err := once(t, c, srv.URL()+"/pay")
				said := false
				for _, s := range tc.says {
					said = said || err != nil && strings.Contains(err.Error(), s)
				}
				if !said {
					t.Errorf("client: %v, want one of %q", err, tc.says)
				}
				d := only(t, srv.Finish(time.Time{}))
				if d.Committed != tc.committed || !d.Complete || d.BodyBytes != 8 || d.Ended != tc.ended || d.Answered != 0 {
					t.Errorf("delivery %+v", d)
				}
			})
		})
	}
	if names := HTTP2Faults(); len(names) != 10 {
		t.Errorf("%d faults, of which 10 are tested: %q", len(names), names)
	}
}

func TestFaultsOfAPathEndAfterTheFirst(t *testing.T) {
	carriers(t, func(t *testing.T, o HTTP2Options, c *http.Client) {
		srv := Must[*Server](t)(NewHTTP2Fault(HTTP2FaultOptions{HTTP2Options: o, Fault: "internal-error", First: 1}))
		for _, path := range []string{"/a", "/b"} {
			if err := once(t, c, srv.URL()+path); err == nil {
				t.Errorf("the first of %s did not fail", path)
			}
		}
		for _, path := range []string{"/a", "/b"} {
			if err := once(t, c, srv.URL()+path); err != nil {
				t.Errorf("the second of %s: %v", path, err)
			}
		}
		if r := srv.Finish(time.Time{}); len(r.Deliveries) != 4 || r.Committed() != 4 {
			t.Errorf("%d deliveries, %d committed", len(r.Deliveries), r.Committed())
		}
	})
}

func TestOptionsOfAnHTTP2FaultAreChecked(t *testing.T) {
	for _, o := range []HTTP2FaultOptions{
		{Fault: "no-such-fault"},
		{Fault: "cancel", First: -1},
		{Fault: "cancel", HTTP2Options: HTTP2Options{MaxStreams: -1}},
	} {
		if srv, err := NewHTTP2Fault(o); err == nil {
			srv.Close()
			t.Errorf("NewHTTP2Fault(%+v) has no error", o)
		}
	}
}

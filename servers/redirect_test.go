package servers

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestARedirectCommitsWhatItIsTheAnswerTo(t *testing.T) {
	for _, tc := range []struct {
		why    string
		status int
		method string
		want   bool
	}{
		{"303 to a POST: done, and here is the result", 303, "POST", true},
		{"301 to a POST: the same", 301, "POST", true},
		{"302 is the default", 0, "POST", true},
		{"307 to a POST: not here", 307, "POST", false},
		{"308 to a POST: not here", 308, "POST", false},
		{"303 to a GET: nothing was to be done", 303, "GET", false},
	} {
		srv := Must[*Server](t)(NewRedirect(RedirectOptions{Status: tc.status, To: "/done"}))
		c := dial(t, srv.Addr())
		write(t, c, tc.method+" /pay HTTP/1.1\r\nHost: lab\r\n\r\n")
		r, _ := respond(t, bufio.NewReader(c), tc.method)
		want := tc.status
		if want == 0 {
			want = 302
		}
		if r.StatusCode != want || r.Header.Get("Location") != "/done" {
			t.Errorf("%s: %v, want %d to /done", tc.why, r, want)
		}
		if d := only(t, srv.Finish(time.Time{})); d.Committed != tc.want || !d.Complete {
			t.Errorf("%s: delivery %+v, want committed %t", tc.why, d, tc.want)
		}
	}
}

func TestAClientThatIsSentInCirclesIsNoReplay(t *testing.T) {
	srv := Must[*Server](t)(NewRedirect(RedirectOptions{Status: 307}))
	req, err := http.NewRequest(http.MethodPost, srv.URL()+"/pay", strings.NewReader("12 euros"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(AttemptHeader, "1")
	if r, err := client(t).Do(req); err == nil || !strings.HasSuffix(err.Error(), "stopped after 10 redirects") {
		t.Errorf("got %v, %v", r, err)
	}
	r := srv.Finish(time.Time{})
	if len(r.Deliveries) != 10 || r.Replays() != 0 || r.Committed() != 0 {
		t.Errorf("%d deliveries, %d replays, %d committed; want 10, 0, 0", len(r.Deliveries), r.Replays(), r.Committed())
	}
	for _, d := range r.Deliveries {
		if d.Path != "/pay" || d.Method != "POST" || d.Attempt != 1 || d.BodyBytes != 8 {
			t.Errorf("delivery %+v", d)
		}
	}
}

func TestAStatusThatNobodyFollowsIsNoRedirect(t *testing.T) {
	for _, status := range []int{200, 300, 304, 305, 306, 309} {
		if _, err := NewRedirect(RedirectOptions{Status: status}); err == nil {
			t.Errorf("status %d: no error", status)
		}
	}
}

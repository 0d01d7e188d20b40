package servers

import (
	"bufio"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestAnyFinalStatusIsAnswered(t *testing.T) {
	c := client(t)
	for _, status := range []int{200, 204, 304, 404, 425, 429, 503, 529, 600, 999} {
		srv := Must[*Server](t)(NewStatus(Options{}, status, nil))
		r, body, err := post(t, c, srv.URL()+"/pay", "key-1", "12 euros")
		if err != nil || r.StatusCode != status || body != "" {
			t.Errorf("%d: %v, %q, %v", status, r, body, err)
			continue
		}
		d := only(t, srv.Finish(time.Time{}))
		if d.Answered != status || d.Saw() != SawRequest || d.Method != "POST" || d.Path != "/pay" ||
			d.Key != "key-1" || d.BodyBytes != 8 || d.Committed || d.Ended != EndedKept {
			t.Errorf("%d: delivery %+v", status, d)
		}
	}
}

func TestAnInterimOrImpossibleStatusIsRefused(t *testing.T) {
	for _, status := range []int{-1, 0, 99, 100, 101, 199, 1000} {
		if srv, err := NewStatus(Options{}, status, nil); err == nil {
			srv.Close()
			t.Errorf("%d was accepted", status)
		}
	}
}

func TestAHeaderMayHaveSeveralLines(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{}, 503,
		Header("Retry-After", "1", "Via", "1.1 a", "retry-after", "2", "Via", "1.1 b")))
	c := dial(t, srv.Addr())
	write(t, c, "GET / HTTP/1.1\r\nHost: lab\r\n\r\n")
	r, _ := respond(t, bufio.NewReader(c), "GET")
	if want := []string{"1", "2"}; !reflect.DeepEqual(r.Header["Retry-After"], want) {
		t.Errorf("Retry-After %q, want %q", r.Header["Retry-After"], want)
	}
	if want := []string{"1.1 a", "1.1 b"}; !reflect.DeepEqual(r.Header["Via"], want) {
		t.Errorf("Via %q, want %q", r.Header["Via"], want)
	}
}

func TestAValueWithALineBreakCannotBreakTheHead(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{}, 200, Header("X", "a\r\nInjected: b")))
	c := dial(t, srv.Addr())
	write(t, c, "GET / HTTP/1.1\r\nHost: lab\r\n\r\n")
	if r, _ := respond(t, bufio.NewReader(c), "GET"); r.Header.Get("Injected") != "" || !strings.HasPrefix(r.Header.Get("X"), "a") {
		t.Errorf("header %q", r.Header)
	}
}

func TestDateAndHeaderShareOneInstant(t *testing.T) {
	header := func(now time.Time) http.Header {
		return http.Header{"Retry-After": {now.Add(3 * time.Second).Format(http.TimeFormat)}}
	}
	srv := Must[*Server](t)(NewStatus(Options{}, 503, header))
	c := client(t)
	for range 50 {
		r, _, err := post(t, c, srv.URL(), "", "x")
		if err != nil {
			t.Fatal(err)
		}
		date, err1 := http.ParseTime(r.Header.Get("Date"))
		after, err2 := http.ParseTime(r.Header.Get("Retry-After"))
		if err1 != nil || err2 != nil || after.Sub(date) != 3*time.Second {
			t.Fatalf("%v after Date, want 3s (%v, %v)", after.Sub(date), err1, err2)
		}
	}
}

func TestAHeaderMayBeNilSharedOrSetTheDate(t *testing.T) {
	shared := http.Header{"X": {"1"}}
	for why, header := range map[string]func(time.Time) http.Header{
		"nil":     func(time.Time) http.Header { return nil },
		"shared":  func(time.Time) http.Header { return shared },
		"a date":  Header("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
		"nothing": Header(),
	} {
		srv := Must[*Server](t)(NewStatus(Options{}, 200, header))
		r, _, err := post(t, client(t), srv.URL(), "", "x")
		if err != nil || len(r.Header["Date"]) != 1 {
			t.Errorf("%s: %v, %v", why, r, err)
		}
		if why == "a date" && r.Header.Get("Date") != "Sun, 06 Nov 1994 08:49:37 GMT" {
			t.Errorf("%s: %q", why, r.Header.Get("Date"))
		}
	}
	if len(shared) != 1 {
		t.Errorf("the caller's header was changed: %v", shared)
	}
}

func TestHeaderPanicsWithoutAValue(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Header(strings.Fields("Retry-After")...)
}

func TestCommittedDoesTheWorkBeforeItAnswers(t *testing.T) {
	srv := Must[*Server](t)(NewCommitted(Options{}, 500, nil))
	resp, err := http.Post(srv.URL(), "text/plain", strings.NewReader("a"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if r := srv.Finish(time.Now()); r.Committed() != 1 || r.Deliveries[0].CommittedAt.After(r.Deliveries[0].AnsweredAt) {
		t.Errorf("committed %d, %+v; want one, before its answer", r.Committed(), r.Deliveries)
	}
}

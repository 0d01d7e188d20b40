package servers

import (
	"testing"
	"time"
)

func TestRetryAfterIsRoundedUpAndNeverZero(t *testing.T) {
	for _, row := range []struct {
		left time.Duration
		want int64
	}{
		{1, 1},
		{time.Millisecond, 1},
		{time.Second, 1},
		{time.Second + 1, 2},
		{2 * time.Second, 2},
		{90*time.Second - 1, 90},
	} {
		if got := retryAfter(row.left); got != row.want {
			t.Errorf("retryAfter(%v) = %d, want %d", row.left, got, row.want)
		}
	}
}

func TestAWindowBeginsWithThePathsFirstRequest(t *testing.T) {
	now := time.Unix(1000, 0)
	l := &limiter{window: time.Second, limit: 2, now: func() time.Time { return now }, first: map[string]time.Time{}}
	for _, row := range []struct {
		why, path string
		pass      time.Duration
		left      time.Duration
	}{
		{"the first opens it", "/a", 0, time.Second},
		{"it runs on", "/a", 300 * time.Millisecond, 700 * time.Millisecond},
		{"another path has its own", "/b", 0, time.Second},
		{"at its end it is over", "/a", 700 * time.Millisecond, 0},
		{"and stays over", "/a", time.Hour, -time.Hour},
		{"a third path pushes the oldest out", "/c", 0, time.Second},
		{"which is new again", "/a", 0, time.Second},
	} {
		now = now.Add(row.pass)
		if got := l.left(row.path); got != row.left {
			t.Errorf("%s: %v left, want %v", row.why, got, row.left)
		}
		if len(l.first) > 2 || len(l.order) > 2 {
			t.Errorf("%s: remembers %d paths", row.why, len(l.first))
		}
	}
}

func TestLimitsUntilTheWindowIsOver(t *testing.T) {
	const window = 100 * time.Millisecond
	srv := Must[*Server](t)(NewRateLimit(Options{}, window))
	c := client(t)
	start := time.Now()
	for n := 1; ; n++ {
		r, _, err := post(t, c, srv.URL()+"/a", "", "x")
		took := time.Since(start)
		if err != nil {
			t.Fatal(err)
		}
		if r.StatusCode == 200 {
			if n == 1 || took < window {
				t.Fatalf("request %d was let in after %v", n, took)
			}
			break
		}
		if r.StatusCode != 429 || r.Header.Get("Retry-After") != "1" {
			t.Fatalf("request %d: %s, Retry-After %q", n, r.Status, r.Header.Get("Retry-After"))
		}
	}
	if r, _, err := post(t, c, srv.URL()+"/a", "", "x"); err != nil || r.StatusCode != 200 {
		t.Errorf("after the window: %v, %v", r, err)
	}
	if r, _, err := post(t, c, srv.URL()+"/b", "", "x"); err != nil || r.StatusCode != 429 {
		t.Errorf("another path: %v, %v; want 429", r, err)
	}
}

func TestAClientThatObeysNeedsTwoRequests(t *testing.T) {
	srv := Must[*Server](t)(NewRateLimit(Options{}, time.Second))
	c := client(t)
	r, _, err := post(t, c, srv.URL(), "", "x")
	if err != nil || r.StatusCode != 429 || r.Header.Get("Retry-After") != "1" {
		t.Fatalf("%v, %v", r, err)
	}
	time.Sleep(time.Second) // the header's own words, no guess
	if r, _, err := post(t, c, srv.URL(), "", "x"); err != nil || r.StatusCode != 200 {
		t.Errorf("after Retry-After: %v, %v; want 200", r, err)
	}
	if d := srv.Finish(time.Time{}).Deliveries; len(d) != 2 || d[0].Answered != 429 || d[1].Answered != 200 {
		t.Errorf("deliveries %+v", d)
	}
}

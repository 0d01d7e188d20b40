package servers

import (
	"errors"
	"io"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// get reads one answer over a fresh connection.
func get(t *testing.T, url string) (string, error) {
	t.Helper()
	r, err := client(t).Get(url)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return string(b), err
}

func TestAnOutageOfTheReadsLetsWritesThrough(t *testing.T) {
	srv := Must[*Publisher](t)(NewPublisher(Options{}))
	url := srv.URL() + "/posts"
	if body, err := get(t, url); err != nil || body != "{\"published\":0}\n" {
		t.Fatalf("GET: %q, %v; want none published", body, err)
	}
	srv.Outage(true)
	if _, err := get(t, url); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("GET in the outage: %v, want a reset", err)
	}
	if r, _, err := post(t, client(t), url, "", "news"); err != nil || r.StatusCode != http.StatusCreated {
		t.Errorf("POST in the outage: %v, %v; want 201", r, err)
	}
	srv.Outage(false)
	if body, err := get(t, url); err != nil || body != "{\"published\":1}\n" {
		t.Errorf("GET after the outage: %q, %v; want one published", body, err)
	}
	if n := srv.Finish(time.Time{}).Committed(); n != 1 {
		t.Errorf("%d committed, want 1", n)
	}
}

package servers

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A body that goes on for as long as it is read.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// upload sends a body by net/http; size -1 streams it.
func upload(t *testing.T, url string, body io.Reader, size int64) error {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url, io.NopCloser(body))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = size
	r, err := client(t).Do(req)
	if err == nil {
		r.Body.Close()
	}
	return err
}

// cutOff is what net/http makes of a close mid-upload: which of them is a race.
func cutOff(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, io.EOF)
}

func TestUploadsByNetHTTPAreCutOff(t *testing.T) {
	for why, row := range map[string]struct {
		start func(Options) (*Server, error)
		ended string
	}{
		"unread":  {NewUnread, EndedRST},
		"drained": {NewDrained, EndedFIN},
	} {
		for _, size := range []int64{64 << 20, -1} {
			srv := Must[*Server](t)(row.start(Options{}))
			for run := range 20 {
				err := upload(t, srv.URL(), io.LimitReader(endless{}, 64<<20), size)
				if !cutOff(err) {
					t.Fatalf("%s, size %d, run %d: %v", why, size, run, err)
				}
			}
			r := srv.Finish(time.Time{})
			if len(r.Deliveries) != 20 {
				t.Errorf("%s, size %d: %d deliveries", why, size, len(r.Deliveries))
			}
			for _, d := range r.Deliveries {
				if d.Ended != row.ended || d.Saw() != SawPartBody || d.Replay {
					t.Errorf("%s, size %d: %+v", why, size, d)
				}
			}
		}
	}
}

// net/http in the exact form: its Reader stops after the first part.
func TestDrainedUploadByNetHTTPThatWaitsForTheClose(t *testing.T) {
	for range 20 {
		srv := Must[*Server](t)(NewDrained(Options{}))
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		closed := readerFunc(func([]byte) (int, error) {
			err := srv.Ledger().Await(ctx, func(r Record) bool { return len(r.Deliveries) == 1 && r.Deliveries[0].Ended == EndedFIN })
			return 0, errors.Join(err, io.EOF)
		})
		body := io.MultiReader(strings.NewReader(strings.Repeat("x", DrainedFirst)), closed, endless{})
		if err := upload(t, srv.URL(), body, 64<<20); !cutOff(err) {
			t.Fatalf("got %v", err)
		}
		if d := only(t, srv.Finish(time.Time{})); d.BodyBytes != DrainedFirst || d.Ended != EndedFIN {
			t.Fatalf("delivery %+v", d)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) {
	n, err := f(p)
	if errors.Is(err, io.EOF) {
		err = io.EOF // MultiReader compares
	}
	return n, err
}

func TestUnreadNeedsTwoBytesOfBody(t *testing.T) {
	for _, row := range []struct {
		why, sent string
		status    int // 0: a reset
	}{
		{"no body", "GET / HTTP/1.1\r\nHost: lab\r\n\r\n", 400},
		{"one byte", uploadHead(1) + "p", 400},
		{"two bytes", uploadHead(2) + "pa", 0},
		{"two bytes, chunked", "POST / HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n2\r\npa\r\n0\r\n\r\n", 0},
	} {
		srv := Must[*Server](t)(NewUnread(Options{}))
		c := dial(t, srv.Addr())
		write(t, c, row.sent)
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		switch d := only(t, srv.Finish(time.Time{})); {
		case row.status == 0:
			if !errors.Is(err, syscall.ECONNRESET) || d.Ended != EndedRST || d.Saw() != SawPartBody {
				t.Errorf("%s: %v; delivery %+v", row.why, err, d)
			}
		case err != nil || r.StatusCode != row.status || d.Answered != row.status:
			t.Errorf("%s: %v, %v; delivery %+v", row.why, r, err, d)
		}
	}
}

func TestUnreadWaitsForDataOrForTheClientToLeave(t *testing.T) {
	srv := Must[*Server](t)(NewUnread(Options{}))
	c := dial(t, srv.Addr())
	write(t, c, uploadHead(9)+"p")
	await(t, srv.Ledger(), "the first byte", func(r Record) bool { return r.Saw() == SawPartBody })
	if d := only(t, srv.Ledger().Record(time.Time{})); d.Ended != EndedStalled {
		t.Errorf("closed with nothing unread: %+v", d)
	}
	c.Close()
	await(t, srv.Ledger(), "the client leaves", func(r Record) bool { return len(r.Deliveries) == 1 && r.Deliveries[0].Ended == EndedFIN })

	write(t, dial(t, srv.Addr()), uploadHead(9)+"p") // left waiting: Close must end it
	await(t, srv.Ledger(), "another", func(r Record) bool { return len(r.Deliveries) == 2 && r.Deliveries[1].BodyBytes == 1 })
	if d := srv.Finish(time.Time{}).Deliveries[1]; d.Ended != EndedStalled {
		t.Errorf("ended by Close: %+v", d)
	}
}

func TestDrainedTakesAShortBodyWhole(t *testing.T) {
	srv := Must[*Server](t)(NewDrained(Options{}))
	c := dial(t, srv.Addr())
	write(t, c, uploadHead(3)+"pay")
	if b, err := io.ReadAll(c); len(b) != 0 || err != nil {
		t.Errorf("read %q, %v; want EOF", b, err)
	}
	if d := only(t, srv.Finish(time.Time{})); d.Saw() != SawRequest || d.Ended != EndedFIN || d.Answered != 0 {
		t.Errorf("delivery %+v", d)
	}
}

package servers

import (
	"errors"
	"flag"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What the kernel does, at plain sockets and below net/http. Each is run often,
// because once is luck: go test ./servers -run Fact -facts 40000
var factRuns = flag.Int("facts", 300, "runs of each fact about the kernel")

// uploadHead announces a body of size bytes.
func uploadHead(size int) string {
	return "POST /up HTTP/1.1\r\nHost: lab\r\nContent-Length: " + strconv.Itoa(size) + "\r\n\r\n"
}

// writeOn writes until that fails.
func writeOn(w io.Writer) error {
	chunk := make([]byte, 32<<10)
	for {
		if _, err := w.Write(chunk); err != nil {
			return err
		}
	}
}

func TestFactUnreadDataMakesTheCloseAReset(t *testing.T) {
	srv := Must[*Server](t)(NewUnread(Options{MaxEntries: *factRuns}))
	for run := range *factRuns {
		c := dial(t, srv.Addr())
		write(t, c, uploadHead(1<<40))
		if err := writeOn(c); !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("run %d: write: %v, want ECONNRESET", run, err)
		}
		c.Close()
	}
	r := srv.Finish(time.Time{})
	if len(r.Deliveries) != *factRuns {
		t.Fatalf("%d deliveries, want %d", len(r.Deliveries), *factRuns)
	}
	for _, d := range r.Deliveries {
		if d.Ended != EndedRST || d.Saw() != SawPartBody || d.BodyBytes != 1 {
			t.Fatalf("delivery %+v", d)
		}
	}
}

// The second write gets it nearly always. It may be a later one, when the peer's
// close(2) is still going on on another processor: the kernel answers what
// comes meanwhile, with the reset, once it has the socket's lock again.
func TestFactAfterADrainedCloseAWriteSucceedsThenThePipeIsBroken(t *testing.T) {
	srv := Must[*Server](t)(NewDrained(Options{MaxEntries: *factRuns}))
	first := uploadHead(1<<20) + strings.Repeat("x", DrainedFirst)
	second := 0
	for run := range *factRuns {
		c := dial(t, srv.Addr())
		write(t, c, first)
		if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Fatalf("run %d: read: %d, %v; want EOF", run, n, err)
		}
		write(t, c, "one")
		n, err := 2, error(nil)
		for ; ; n++ {
			if _, err = io.WriteString(c, "more"); err != nil {
				break
			}
		}
		if !errors.Is(err, syscall.EPIPE) {
			t.Fatalf("run %d: write %d: %v, want EPIPE", run, n, err)
		}
		if n == 2 {
			second++
		}
		c.Close()
	}
	t.Logf("%d of %d at the second write", second, *factRuns)
	for _, d := range srv.Finish(time.Time{}).Deliveries {
		if d.Ended != EndedFIN || d.Saw() != SawPartBody || d.BodyBytes != DrainedFirst {
			t.Fatalf("delivery %+v", d)
		}
	}
}

func TestFactAFINBeforeTheResetTurnsItIntoABrokenPipe(t *testing.T) {
	srv := Must[*Server](t)(NewDrained(Options{MaxEntries: *factRuns}))
	for run := range *factRuns {
		c := dial(t, srv.Addr())
		write(t, c, uploadHead(1<<40))
		if err := writeOn(c); !errors.Is(err, syscall.EPIPE) {
			t.Fatalf("run %d: write: %v, want EPIPE", run, err)
		}
		c.Close()
	}
	for _, d := range srv.Finish(time.Time{}).Deliveries {
		if d.Ended != EndedFIN || d.Saw() != SawPartBody {
			t.Fatalf("delivery %+v", d)
		}
	}
}

func TestFactARequestInOneWriteFindsTheResetWhenItReads(t *testing.T) {
	srv := Must[*Server](t)(NewReset(Options{MaxEntries: *factRuns}))
	for run := range *factRuns {
		c := dial(t, srv.Addr())
		write(t, c, uploadHead(3)+"pay")
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("run %d: read: %v, want ECONNRESET", run, err)
		}
		c.Close()
	}
	for _, d := range srv.Finish(time.Time{}).Deliveries {
		if d.Ended != EndedRST || d.Saw() != SawRequest || d.BodyBytes != 3 {
			t.Fatalf("delivery %+v", d)
		}
	}
}

func TestFactNetHTTPReadsTheResetOfARequestInOneWrite(t *testing.T) {
	srv := Must[*Server](t)(NewReset(Options{MaxEntries: *factRuns}))
	c := client(t)
	for run := range *factRuns {
		_, _, err := post(t, c, srv.URL(), "", "twelve bytes")
		var op *net.OpError
		if !errors.As(err, &op) || op.Op != "read" || !errors.Is(err, syscall.ECONNRESET) {
			t.Fatalf("run %d: %v, want read: connection reset by peer", run, err)
		}
	}
	r := srv.Finish(time.Time{})
	if len(r.Deliveries) != *factRuns || r.Replays() != 0 {
		t.Fatalf("%d deliveries, want %d", len(r.Deliveries), *factRuns)
	}
	for _, d := range r.Deliveries {
		if d.Ended != EndedRST || d.Saw() != SawRequest || d.Reused {
			t.Fatalf("delivery %+v", d)
		}
	}
}

package servers

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestABrokenAnswerBreaksAsNamedAndTheWorkIsDone(t *testing.T) {
	for _, row := range []struct {
		how  Break
		want string // of the error; empty: none
		got  int    // bytes of the body
		head int    // status in the ledger
	}{
		{TruncatedLength, "unexpected EOF", 500, 200},
		{TruncatedChunk, "unexpected EOF", 500, 200},
		{ResetMidBody, syscall.ECONNRESET.Error(), 500, 200},
		{CloseDelimited, "", 500, 200},
		{GzipCut, "unexpected EOF", 500, 200},
		{TruncatedHead, "malformed MIME header", 0, 0},
		{Garbage, "malformed HTTP response", 0, 0},
		{HeadTooLarge, "server response headers exceeded", 0, 200},
	} {
		srv := Must[*Server](t)(NewBroken(Options{}, row.how))
		c := client(t)
		c.Transport.(*http.Transport).MaxResponseHeaderBytes = 16 << 10
		_, body, err := post(t, c, srv.URL(), "", "12 euros")
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v, want no error", row.how, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: %v, want %q", row.how, err, row.want)
		}
		if len(body) != row.got || !strings.HasPrefix(wholeBody, body) {
			t.Errorf("%s: %d bytes of body, want %d", row.how, len(body), row.got)
		}
		if d := only(t, srv.Finish(time.Time{})); !d.Committed || d.Answered != row.head {
			t.Errorf("%s: delivery %+v, want committed, answered %d", row.how, d, row.head)
		}
	}
}

// What only the close ends cannot be told from what was cut, at a plain socket
// either (RFC 9112 section 8).
func TestABodyThatOnlyTheCloseEndsLooksWholeWhenItIsCut(t *testing.T) {
	srv := Must[*Server](t)(NewBroken(Options{}, CloseDelimited))
	c := dial(t, srv.Addr())
	write(t, c, uploadHead(3)+"pay")
	r, body := respond(t, bufio.NewReader(c), http.MethodPost)
	if r.ContentLength != -1 || len(body) != BrokenBody/2 {
		t.Errorf("length %d, %d bytes; want -1, %d", r.ContentLength, len(body), BrokenBody/2)
	}
}

// RFC 9112 section 9.6 lets a system drop the data that came before a reset.
// Linux does not.
func TestTheDataBeforeAResetIsRead(t *testing.T) {
	srv := Must[*Server](t)(NewBroken(Options{MaxEntries: *factRuns}, ResetMidBody))
	for run := range *factRuns {
		c := dial(t, srv.Addr())
		write(t, c, uploadHead(3)+"pay")
		b, err := io.ReadAll(c)
		if !errors.Is(err, syscall.ECONNRESET) || !strings.HasSuffix(string(b), wholeBody[:BrokenBody/2]) {
			t.Fatalf("run %d: %d bytes, %v; want half of the body, then ECONNRESET", run, len(b), err)
		}
		c.Close()
	}
}

func TestAnUnknownBreakIsRefused(t *testing.T) {
	if _, err := NewBroken(Options{}, "torn"); err == nil {
		t.Error("NewBroken(torn): no error")
	}
}

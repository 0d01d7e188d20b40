package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// A fault is what clients are to meet, and how they know it.
type fault struct {
	name  string
	kept  bool // the connection carries another request
	check func(*http.Response, error) error
}

var faults = []fault{
	{"200", true, whole},
	{"reset", false, wasReset},
	{"slow", false, whole},
	{"truncated", false, wasTruncated},
}

// whole wants an answer to its end.
func whole(res *http.Response, err error) error {
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return drained(res)
}

// wasReset wants a reset in the place of an answer.
func wasReset(res *http.Response, err error) error {
	if !errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("want a reset, got %w", answered(res, err))
	}
	return nil
}

// wasTruncated wants a body that ends before its length.
func wasTruncated(res *http.Response, err error) error {
	if err == nil {
		err = drained(res)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) || res == nil {
		return fmt.Errorf("want half a body, got %w", answered(res, err))
	}
	return nil
}

func drained(res *http.Response) error {
	_, err := io.Copy(io.Discard, res.Body)
	return err
}

// answered is an error also where there was an answer.
func answered(res *http.Response, err error) error {
	if err == nil {
		err = errors.New(res.Status)
	}
	return err
}

// patience bounds a request: the kernel's own retransmissions are to succeed
// on a machine that has fallen behind.
const patience = time.Minute

// A tally is what clients did and met.
type tally struct {
	connected int // connect(2) succeeded
	asked     int // a whole request was handed to the kernel
	met       int // what the fault is to be
	failed    int // anything else
	why       error
}

func (t *tally) add(o tally) {
	t.connected += o.connected
	t.asked += o.asked
	t.met += o.met
	t.failed += o.failed
	if t.why == nil {
		t.why = o.why
	}
}

// fail keeps the first of the reasons.
func (t *tally) fail(err error) {
	t.failed++
	if t.why == nil {
		t.why = err
	}
}

// client asks on one connection at a time until ctx ends, and never leaves a
// request that it has begun. A client that fails asks no more.
func client(ctx context.Context, m made, f fault) tally {
	var t tally
	for ctx.Err() == nil && t.failed == 0 {
		c, err := net.Dial("tcp", m.Addr)
		if err != nil {
			t.fail(err)
			break
		}
		t.connected++
		t.carry(ctx, c.(*net.TCPConn), m, f)
	}
	return t
}

// carry asks on one connection as long as it can carry requests.
func (t *tally) carry(ctx context.Context, c *net.TCPConn, m made, f fault) {
	defer hangUp(c)
	br := bufio.NewReaderSize(c, 512)
	for {
		if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
			t.fail(err)
			return
		}
		if _, err := io.WriteString(c, "POST "+m.Path+" HTTP/1.1\r\nHost: lab\r\nContent-Length: 8\r\n\r\n12 euros"); err != nil {
			t.fail(err)
			return
		}
		t.asked++
		if err := f.check(http.ReadResponse(br, nil)); err != nil {
			t.fail(err)
			return
		}
		t.met++
		if !f.kept || ctx.Err() != nil {
			return
		}
	}
}

// hangUp closes with a reset, so that neither side's port has to wait
// (TIME-WAIT, RFC 9293 section 3.3.2): there are more connections than ports.
// The server has said all it had to say.
func hangUp(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close() // what the client met was checked
}

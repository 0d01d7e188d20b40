package servers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strings"
	"time"
)

// An Exchange is one HTTP/1 request in the hands of a fault: its head has been
// read, nothing of its body.
type Exchange struct {
	Request *http.Request

	c         *Conn
	sum       hash.Hash // nil: no byte of a body yet
	read      int64
	bodyDone  bool
	continued bool
	answered  bool
	keep      bool
}

// http1 serves every request of a connection with fault, as long as the fault
// leaves the connection usable.
func http1(fault func(*Exchange)) func(*Conn) {
	return func(c *Conn) {
		if !c.sameScheme() {
			return
		}
		for c.peek() {
			x, ok := c.readHead()
			if !ok {
				return
			}
			fault(x)
			if !x.next() {
				return
			}
		}
	}
}

// next says whether the connection can carry another request.
func (x *Exchange) next() bool {
	if x.c.shut || !x.answered || !x.keep {
		return false
	}
	return x.bodyDone || x.ReadBody() == nil
}

// Key is the request's idempotency key, empty where it has none.
func (x *Exchange) Key() string { return x.Request.Header.Get(KeyHeader) }

// target is what the request is for, with its query: two of the latter are two
// resources.
func (x *Exchange) target() string { return x.Request.URL.RequestURI() }

// ReadBody reads the body to its end and enters its size and sum. It sends the
// interim 100 that the client may be waiting for. A body that breaks off, or
// is longer than Options.MaxBody, is an error.
func (x *Exchange) ReadBody() error {
	limit := x.c.s.opts.MaxBody
	if err := x.readBody(limit + 1 - x.read); err != nil {
		return err
	}
	if x.read > limit {
		return fmt.Errorf("body exceeds %d bytes", limit)
	}
	return nil
}

// ReadSome reads n bytes of the body, or to its end if that comes first.
func (x *Exchange) ReadSome(n int64) error { return x.readBody(n) }

func (x *Exchange) readBody(limit int64) error {
	if x.bodyDone || limit <= 0 {
		return nil
	}
	if err := x.Continue(); err != nil {
		return err
	}
	if length := x.Request.ContentLength; length > 0 {
		limit = min(limit, length-x.read) // also the size of io.Copy's buffer
	}
	n, err := io.Copy((*bodySink)(x), io.LimitReader(x.Request.Body, limit))
	x.bodyDone = err == nil && (n < limit || x.read == x.Request.ContentLength)
	x.c.last.set(func(d *Delivery) {
		d.Complete = x.bodyDone
		if x.read > 0 {
			d.BodySHA256 = x.BodySum()
		}
	})
	if err != nil {
		x.c.lost(err)
		return fmt.Errorf("read body: %w", err)
	}
	return nil
}

// A bodySink takes a body as it comes, so that the ledger is never behind.
type bodySink Exchange

func (x *bodySink) Write(p []byte) (int, error) {
	if x.sum == nil {
		x.sum = sha256.New()
	}
	x.sum.Write(p) // a hash never fails
	x.read += int64(len(p))
	x.c.last.set(func(d *Delivery) { d.BodyBytes = x.read })
	return len(p), nil
}

// BodySum is the SHA-256 of what was read so far, in hex.
func (x *Exchange) BodySum() string {
	if x.sum == nil {
		return emptySum
	}
	return hex.EncodeToString(x.sum.Sum(nil))
}

// emptySum is the SHA-256 of nothing.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// expects says that the client may hold its body back for an interim 100.
func (x *Exchange) expects() bool {
	return !x.bodyDone && !x.continued && x.Request.ProtoAtLeast(1, 1) &&
		strings.EqualFold(x.Request.Header.Get("Expect"), "100-continue")
}

// Continue sends the interim 100 response, once, if the client asked for it.
func (x *Exchange) Continue() error {
	if x.answered || !x.expects() {
		return nil
	}
	x.continued = true
	if _, err := io.WriteString(x.c.rw, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
		x.c.lost(err)
		return fmt.Errorf("send 100: %w", err)
	}
	return nil
}

// Commit enters that the side effect has happened. Idempotent.
func (x *Exchange) Commit() {
	x.c.last.set(func(d *Delivery) {
		if !d.Committed {
			d.Committed, d.CommittedAt = true, time.Now()
		}
	})
}

// Wait returns true after d, false if the server closes first. It goes on when
// the client leaves, so does real work, and enters when that was.
func (x *Exchange) Wait(d time.Duration) bool {
	if d > 0 {
		defer x.c.watch()()
	}
	return x.c.s.pause(d)
}

// Closing is closed when the server closes.
func (x *Exchange) Closing() <-chan struct{} { return x.c.s.ctx.Done() }

// FIN closes the connection in order, as [Conn.FIN].
func (x *Exchange) FIN() { x.c.FIN() }

// RST resets the connection, as [Conn.RST].
func (x *Exchange) RST() { x.c.RST() }

// Stall says nothing more until the client leaves or the server closes.
func (x *Exchange) Stall() { x.c.Stall() }

package servers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strconv"
	"time"
)

// An Exchange is one HTTP/1 request in the hands of a fault: its head has been
// read, nothing of its body.
type Exchange struct {
	Request *http.Request

	c         *Conn
	sum       hash.Hash
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

// readHead reads and enters a head; where it breaks off, its part.
func (c *Conn) readHead() (*Exchange, bool) {
	before := c.taken()
	req, err := http.ReadRequest(c.br)
	size := int(c.taken() - before)
	if err != nil {
		c.last.set(func(d *Delivery) { d.HeadBytes = size })
		c.lost(err)
		return nil, false
	}
	c.enterHead(req, size)
	return &Exchange{
		Request: req, c: c, sum: sha256.New(),
		bodyDone: req.ContentLength == 0 && len(req.TransferEncoding) == 0,
	}, true
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

// ReadBody reads the body to its end and enters its size and sum. It sends the
// interim 100 that the client may be waiting for.
func (x *Exchange) ReadBody() error {
	return x.readBody(x.c.s.opts.MaxBody - x.read)
}

// ReadSome reads at most n bytes of the body.
func (x *Exchange) ReadSome(n int64) error { return x.readBody(n) }

func (x *Exchange) readBody(limit int64) error {
	if x.bodyDone {
		return nil
	}
	if err := x.Continue(); err != nil {
		return err
	}
	n, err := io.Copy(x.sum, io.LimitReader(x.Request.Body, limit))
	x.read += n
	if err == nil && n < limit {
		x.bodyDone = true
	} else if err == nil && x.read == x.Request.ContentLength {
		x.bodyDone = true
	}
	x.c.enterBody(x.read, x.sum.Sum(nil), x.bodyDone)
	if err != nil {
		x.c.lost(err)
		return fmt.Errorf("read body: %w", err)
	}
	if !x.bodyDone && x.read >= x.c.s.opts.MaxBody {
		return fmt.Errorf("body exceeds %d bytes", x.c.s.opts.MaxBody)
	}
	return nil
}

// BodySum is the SHA-256 of what was read so far, in hex.
func (x *Exchange) BodySum() string { return hex.EncodeToString(x.sum.Sum(nil)) }

// Continue sends the interim 100 response, once, if the client asked for it.
func (x *Exchange) Continue() error {
	if x.continued || x.answered || x.Request.Header.Get("Expect") != "100-continue" {
		return nil
	}
	x.continued = true
	if _, err := io.WriteString(x.c.rw, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
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
// the client leaves: so does real work.
func (x *Exchange) Wait(d time.Duration) bool { return x.c.s.pause(d) }

// Closing is closed when the server closes.
func (x *Exchange) Closing() <-chan struct{} { return x.c.s.ctx.Done() }

// Answer sends a complete response in one write and enters it. The header may
// be nil; Date and Content-Length are added where they are missing.
func (x *Exchange) Answer(status int, h http.Header, body string) error {
	x.keep = !x.Request.Close && h.Get("Connection") != "close"
	if err := x.send(x.compose(status, h, body), status); err != nil {
		return err
	}
	if x.keep {
		x.c.last.end(EndedKept)
	} else {
		x.c.FIN()
	}
	return nil
}

// compose is the response's bytes.
func (x *Exchange) compose(status int, h http.Header, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %03d %s\r\n", status, http.StatusText(status))
	if h.Get("Date") == "" {
		b.WriteString("Date: " + time.Now().UTC().Format(http.TimeFormat) + "\r\n")
	}
	bodyAllowed := status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
	if bodyAllowed && h.Get("Content-Length") == "" {
		b.WriteString("Content-Length: " + strconv.Itoa(len(body)) + "\r\n")
	}
	h.Write(&b) // a bytes.Buffer takes everything
	b.WriteString("\r\n")
	if bodyAllowed && x.Request.Method != http.MethodHead {
		b.WriteString(body)
	}
	return b.Bytes()
}

// Send writes raw bytes of a response whose status is entered as answered.
func (x *Exchange) Send(raw string, status int) error { return x.send([]byte(raw), status) }

// send enters the answer before it is sent, so that a client that has read it
// finds it in the ledger.
func (x *Exchange) send(raw []byte, status int) error {
	x.answered = true
	x.c.last.set(func(d *Delivery) { d.Answered, d.AnsweredAt = status, time.Now() })
	if _, err := x.c.rw.Write(raw); err != nil {
		x.c.last.set(func(d *Delivery) { d.Answered, d.AnsweredAt = 0, time.Time{} })
		return fmt.Errorf("send answer: %w", err)
	}
	return nil
}

// FIN closes the connection in order. RST resets it. Stall says nothing more
// until the server closes.
func (x *Exchange) FIN()   { x.c.FIN() }
func (x *Exchange) RST()   { x.c.RST() }
func (x *Exchange) Stall() { x.c.Stall() }

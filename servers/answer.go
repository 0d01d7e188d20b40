package servers

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Answer sends a complete response in one write and enters it. The header may
// be nil; Date and Content-Length are added where they are missing, and
// Connection: close where the connection ends with this answer.
func (x *Exchange) Answer(status int, h http.Header, body string) error {
	// A client that was not asked for its body may never send it, so that the
	// next request could not be told from it (RFC 9110 section 10.1.1).
	x.keep = !x.Request.Close && x.Request.ProtoAtLeast(1, 1) && !x.c.gone &&
		!x.expects() && !strings.EqualFold(h.Get("Connection"), "close")
	if err := x.send(x.compose(status, h, body), status); err != nil {
		return err
	}
	if !x.keep {
		x.c.FIN()
	}
	return nil
}

// compose is the response's bytes.
func (x *Exchange) compose(status int, h http.Header, body string) []byte {
	var b bytes.Buffer // takes everything: its errors are always nil
	b.Grow(256 + len(body))
	b.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	if h.Get("Date") == "" {
		b.WriteString("Date: " + time.Now().UTC().Format(http.TimeFormat) + "\r\n")
	}
	bodyAllowed := status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
	if bodyAllowed && h.Get("Content-Length") == "" && h.Get("Transfer-Encoding") == "" {
		b.WriteString("Content-Length: " + strconv.Itoa(len(body)) + "\r\n")
	}
	if !x.keep && h.Get("Connection") == "" {
		b.WriteString("Connection: close\r\n")
	}
	h.Write(&b)
	b.WriteString("\r\n")
	if bodyAllowed && x.Request.Method != http.MethodHead {
		b.WriteString(body)
	}
	return b.Bytes()
}

// Send writes raw bytes. A status other than 0 is entered as answered: the
// bytes hold its head. The connection does not outlive the fault.
func (x *Exchange) Send(raw string, status int) error {
	x.keep = false
	return x.send([]byte(raw), status)
}

// send enters the answer before it is sent, so that a client that has read it
// finds it in the ledger, and takes it back if nothing could be sent.
func (x *Exchange) send(raw []byte, status int) error {
	x.answered = true
	var before Delivery
	x.c.last.set(func(d *Delivery) {
		before = *d
		d.answer(status, x.keep, x.c.gone)
	})
	n, err := x.c.rw.Write(raw)
	if err == nil {
		return nil
	}
	x.keep = false
	x.c.last.set(func(d *Delivery) {
		d.Ended, d.EndedAt = before.Ended, before.EndedAt
		if n == 0 {
			d.Answered, d.AnsweredAt = before.Answered, before.AnsweredAt
		}
	})
	x.c.lost(err)
	return fmt.Errorf("send answer: %w", err)
}

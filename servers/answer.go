package servers

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
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
	b := answers.Get().(*bytes.Buffer)
	b.Reset()
	x.compose(b, status, h, body)
	err := x.send(b.Bytes(), status)
	if b.Cap() <= maxAnswer {
		answers.Put(b)
	}
	if err != nil {
		return err
	}
	if !x.keep {
		x.c.FIN()
	}
	return nil
}

// answers are buffers of answers that were sent, of at most maxAnswer bytes.
var answers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxAnswer = 16 << 10

// composed is the response's bytes.
func (x *Exchange) composed(status int, h http.Header, body string) string {
	var b bytes.Buffer
	x.compose(&b, status, h, body)
	return b.String()
}

// compose adds the response's bytes to b, which takes everything: its errors
// are always nil.
func (x *Exchange) compose(b *bytes.Buffer, status int, h http.Header, body string) {
	b.Grow(256 + len(body))
	b.WriteString("HTTP/1.1 ")
	b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(status), 10))
	b.WriteString(" ")
	b.WriteString(http.StatusText(status))
	b.WriteString("\r\n")
	if h.Get("Date") == "" {
		b.WriteString("Date: ")
		b.Write(time.Now().UTC().AppendFormat(b.AvailableBuffer(), http.TimeFormat))
		b.WriteString("\r\n")
	}
	bodyAllowed := status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
	if bodyAllowed && h.Get("Content-Length") == "" && h.Get("Transfer-Encoding") == "" {
		b.WriteString("Content-Length: ")
		b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(len(body)), 10))
		b.WriteString("\r\n")
	}
	if !x.keep && h.Get("Connection") == "" {
		b.WriteString("Connection: close\r\n")
	}
	h.Write(b)
	b.WriteString("\r\n")
	if bodyAllowed && x.Request.Method != http.MethodHead {
		b.WriteString(body)
	}
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

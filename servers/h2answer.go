package servers

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Answer sends a complete response and enters it. The header may be nil; Date
// and Content-Length are added where they are missing, and what belongs to an
// HTTP/1 connection is left out.
func (s *Stream) Answer(status int, header http.Header, body string) error {
	h := http.Header{"Content-Length": {strconv.Itoa(len(body))}}
	for name, values := range header {
		h[name] = values
	}
	if status < 200 || status == http.StatusNoContent || status == http.StatusNotModified {
		h.Del("Content-Length")
		body = ""
	}
	if s.Request.Method == http.MethodHead {
		body = ""
	}
	if err := s.SendHead(status, h, body == ""); err != nil || body == "" {
		return err
	}
	return s.SendData(body, true)
}

// SendHead sends a response's head and enters it as answered. end: there is no
// body. Date is added where it is missing.
func (s *Stream) SendHead(status int, header http.Header, end bool) error {
	err := s.enter(status, end)
	if err != nil {
		return err
	}
	err = s.h.write(func() error { return s.h.writeHead(s.ID, responseFields(status, header), end) })
	if err != nil {
		s.unsent(err, true)
	}
	return err
}

// interim sends a 100, which is no answer.
func (s *Stream) interim() error {
	fields := []hpack.HeaderField{{Name: ":status", Value: "100"}}
	return s.h.write(func() error { return s.h.writeHead(s.ID, fields, false) })
}

// enter enters an answer's head, or with status 0 its end, before it is sent,
// so that a client that has read it finds it in the ledger.
func (s *Stream) enter(status int, end bool) error {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	s.e.set(func(d *Delivery) {
		if status != 0 && d.Answered == 0 {
			d.Answered, d.AnsweredAt = status, time.Now()
		}
	})
	switch {
	case !end:
		return nil
	case s.h.limit != math.MaxUint32:
		s.e.end(EndedFIN) // a GOAWAY was sent: the connection carries no other request
	default:
		s.e.end(EndedKept)
	}
	s.err = errAnswered
	return nil
}

// unsent takes back what enter has entered and could not be sent: the answer's
// end, and its head if that was it.
func (s *Stream) unsent(err error, head bool) {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	s.e.set(func(d *Delivery) {
		if head {
			d.Answered, d.AnsweredAt = 0, time.Time{}
		}
		d.Ended, d.EndedAt = EndedStalled, time.Time{}
	})
	if s.err == errAnswered {
		s.err = nil
	}
	how := departure(err)
	if s.h.c.s.closing() {
		how = ""
	}
	s.end(how, errConnEnded)
}

// connectionFields may not stand in a field block (RFC 9113 section 8.2.2).
var connectionFields = []string{"connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"}

// responseFields is a head as HTTP/2 spells it, in the order of its names.
func responseFields(status int, header http.Header) []hpack.HeaderField {
	fields := []hpack.HeaderField{{Name: ":status", Value: strconv.Itoa(status)}}
	if header.Get("Date") == "" {
		fields = append(fields, hpack.HeaderField{Name: "date", Value: time.Now().UTC().Format(http.TimeFormat)})
	}
	first := len(fields)
	for name, values := range header {
		name = strings.ToLower(name)
		if slices.Contains(connectionFields, name) {
			continue
		}
		for _, v := range values {
			fields = append(fields, hpack.HeaderField{Name: name, Value: v})
		}
	}
	slices.SortStableFunc(fields[first:], func(a, b hpack.HeaderField) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// writeHead writes a field block; the caller holds wmu.
func (h *h2Conn) writeHead(id uint32, fields []hpack.HeaderField, end bool) error {
	h.hbuf.Reset()
	for _, f := range fields {
		if err := h.henc.WriteField(f); err != nil {
			return err
		}
	}
	block := h.hbuf.Bytes()
	for first := true; first || len(block) > 0; first = false {
		part := block[:min(len(block), h2FrameSize)]
		block = block[len(part):]
		var err error
		if first {
			err = h.fr.WriteHeaders(http2.HeadersFrameParam{
				StreamID: id, BlockFragment: part, EndStream: end, EndHeaders: len(block) == 0,
			})
		} else {
			err = h.fr.WriteContinuation(id, len(block) == 0, part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// SendData sends a part of a response's body, as the client's windows allow.
func (s *Stream) SendData(part string, end bool) error {
	for {
		n, err := s.reserve(len(part))
		if err != nil {
			return err
		}
		chunk, last := []byte(part[:n]), end && n == len(part)
		if last {
			if err := s.enter(0, true); err != nil {
				return err
			}
		}
		if err := s.h.write(func() error { return s.h.fr.WriteData(s.ID, last, chunk) }); err != nil {
			s.unsent(err, false)
			return err
		}
		if part = part[n:]; part == "" {
			return nil
		}
	}
}

// reserve takes at most want bytes, and one frame, from both windows.
func (s *Stream) reserve(want int) (int, error) {
	n := int64(0)
	err := s.await(func() bool {
		if s.err != nil {
			return false
		}
		n = min(int64(want), h2FrameSize, s.window, s.h.window)
		if n <= 0 && want > 0 {
			return false
		}
		s.window -= n
		s.h.window -= n
		return true
	})
	return int(n), err
}

// Refuse resets the stream with REFUSED_STREAM, which promises that nothing of
// the request was processed (RFC 9113 section 8.7). A fault that has committed
// breaks that promise.
func (s *Stream) Refuse() error { return s.Reset(HTTP2RefusedStream) }

// Reset ends the stream with RST_STREAM; its connection goes on.
func (s *Stream) Reset(code HTTP2Code) error {
	s.h.mu.Lock()
	if s.err != nil {
		defer s.h.mu.Unlock()
		return s.err
	}
	s.end(EndedRST, errResetHere)
	s.h.mu.Unlock()
	return s.h.writeReset(s.ID, code)
}

// GoAway ends every stream of the connection above last, now and later, with
// the promise that they were not processed; those up to last go on (RFC 9113
// section 6.8).
func (s *Stream) GoAway(last uint32, code HTTP2Code) error { return s.h.goAway(last, code) }

// FIN closes the whole connection in order: every open stream ends with it.
func (s *Stream) FIN() { s.h.fin() }

// RST resets the whole connection, and with it every open stream.
func (s *Stream) RST() { s.h.rst() }

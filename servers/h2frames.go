package servers

import (
	"crypto/sha256"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"golang.org/x/net/http2"
)

// take handles one frame. An error ends the stream or the connection, by its
// type.
func (h *h2Conn) take(f http2.Frame) error {
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		return h.headers(f)
	case *http2.DataFrame:
		return h.data(f)
	case *http2.SettingsFrame:
		return h.settings(f)
	case *http2.WindowUpdateFrame:
		return h.credit(f.StreamID, int64(f.Increment))
	case *http2.RSTStreamFrame:
		h.reset(f.StreamID)
	case *http2.PingFrame:
		if !f.IsAck() {
			return h.write(func() error { return h.fr.WritePing(true, f.Data) })
		}
	case *http2.PushPromiseFrame:
		return http2.ConnectionError(http2.ErrCodeProtocol) // RFC 9113 section 8.4: servers push
	}
	return nil // PRIORITY, GOAWAY and what nobody knows need no answer
}

// headers begins a stream, or ends one with its trailers.
func (h *h2Conn) headers(f *http2.MetaHeadersFrame) error {
	if f.Truncated {
		return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeEnhanceYourCalm}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.streams[f.StreamID]; s != nil {
		if !f.StreamEnded() {
			return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol}
		}
		switch {
		case !s.open():
		case s.otherLength(0, true):
			return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol}
		default:
			s.receive(nil, true)
		}
		return nil
	}
	switch {
	case f.StreamID%2 == 0:
		return http2.ConnectionError(http2.ErrCodeProtocol)
	case f.StreamID <= h.last:
		return nil // of a stream that we have ended
	}
	req, err := h2Request(f)
	if err != nil {
		return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeProtocol, Cause: err}
	}
	return h.open(f, req)
}

// open enters a request and starts its fault; the caller holds mu.
func (h *h2Conn) open(f *http2.MetaHeadersFrame, req *http.Request) error {
	h.last = f.StreamID
	s := &Stream{
		Request: req, ID: f.StreamID, h: h, e: h.c.begin(),
		sum: sha256.New(), window: h.initial, complete: f.StreamEnded(),
	}
	size := 0
	for _, field := range f.Fields {
		size += int(field.Size())
	}
	h.c.enter(s.e, req, size, s.complete)
	switch {
	case f.StreamID > h.limit: // in flight when our GOAWAY was
		s.end(EndedFIN, errGoneAway)
		h.c.unserved(s.e)
		return nil
	case len(h.streams) >= h.max:
		s.end(EndedRST, errResetHere)
		h.c.unserved(s.e)
		return http2.StreamError{StreamID: f.StreamID, Code: http2.ErrCodeRefusedStream}
	}
	h.streams[s.ID] = s
	h.wg.Go(func() {
		h.fault(s)
		s.finish()
	})
	return nil
}

// h2Request is a head as net/http would hand it to a server.
func h2Request(f *http2.MetaHeadersFrame) (*http.Request, error) {
	req := &http.Request{
		Method: f.PseudoValue("method"), Host: f.PseudoValue("authority"),
		Proto: "HTTP/2.0", ProtoMajor: 2, Header: http.Header{}, ContentLength: -1,
	}
	for _, field := range f.RegularFields() {
		req.Header.Add(field.Name, field.Value)
	}
	if n, err := strconv.ParseInt(req.Header.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		req.ContentLength = n
	}
	if f.StreamEnded() {
		if req.ContentLength > 0 {
			return nil, errOtherLength
		}
		req.ContentLength = 0
	}
	if req.Method == "" || f.PseudoValue("scheme") == "" {
		return nil, errors.New("no method, or no scheme") // RFC 9113 section 8.3.1; of CONNECT the lab knows nothing
	}
	req.RequestURI = f.PseudoValue("path")
	var err error
	req.URL, err = url.ParseRequestURI(req.RequestURI)
	return req, err
}

// broken resets a stream whose frames cannot be read, and enters a head that
// could not be.
func (h *h2Conn) broken(se http2.StreamError) {
	h.mu.Lock()
	if s := h.streams[se.StreamID]; s != nil {
		s.end(EndedRST, errResetHere)
	} else if se.StreamID > h.last {
		h.last = se.StreamID
		h.c.begin().end(EndedRST)
	}
	h.mu.Unlock()
	_ = h.writeReset(se.StreamID, se.Code) // a connection that ends here is found by the reader
}

func (h *h2Conn) writeReset(id uint32, code HTTP2Code) error {
	return h.write(func() error { return h.fr.WriteRSTStream(id, code) })
}

// data takes a part of a body and gives its window back at once.
func (h *h2Conn) data(f *http2.DataFrame) error {
	h.mu.Lock()
	s, idle := h.streams[f.StreamID], f.StreamID > h.last
	more, code := false, HTTP2NoError
	if s != nil && s.open() {
		code = h.part(s, f)
		more = !s.complete
	}
	h.mu.Unlock()
	if idle {
		return http2.ConnectionError(http2.ErrCodeProtocol) // RFC 9113 section 5.1
	}
	if f.Length == 0 && code == HTTP2NoError {
		return nil
	}
	return h.write(func() error {
		if f.Length > 0 {
			if err := h.fr.WriteWindowUpdate(0, f.Length); err != nil {
				return err
			}
		}
		switch {
		case code != HTTP2NoError:
			return h.fr.WriteRSTStream(f.StreamID, code)
		case more:
			return h.fr.WriteWindowUpdate(f.StreamID, f.Length)
		}
		return nil
	})
}

// part enters a part of a body, and ends a stream whose body is not as long as
// it may be, or as it was said to be: with that code. The caller holds mu.
func (h *h2Conn) part(s *Stream, f *http2.DataFrame) HTTP2Code {
	ended := f.StreamEnded()
	if s.otherLength(len(f.Data()), ended) {
		s.receive(f.Data(), false)
		s.end(EndedRST, errOtherLength)
		return HTTP2ProtocolError
	}
	s.receive(f.Data(), ended)
	if s.read > h.c.s.opts.MaxBody {
		s.end(EndedRST, errBodyTooLong)
		return HTTP2Cancel
	}
	return HTTP2NoError
}

// settings applies the client's and acknowledges them.
func (h *h2Conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
		if v > math.MaxInt32 {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
		h.mu.Lock()
		for _, s := range h.streams {
			s.window += int64(v) - h.initial
		}
		h.initial = int64(v)
		h.moved.Broadcast()
		h.mu.Unlock()
	}
	return h.write(func() error {
		if v, ok := f.Value(http2.SettingHeaderTableSize); ok {
			h.henc.SetMaxDynamicTableSizeLimit(v)
		}
		return h.fr.WriteSettingsAck()
	})
}

// credit lets us send more, on a stream or, for 0, on the connection. Windows
// end at 2^31-1 (RFC 9113 section 6.9.1).
func (h *h2Conn) credit(id uint32, n int64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer h.moved.Broadcast()
	if id == 0 {
		if h.window += n; h.window > math.MaxInt32 {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
	} else if s := h.streams[id]; s != nil {
		if s.window += n; s.window > math.MaxInt32 {
			return http2.StreamError{StreamID: id, Code: http2.ErrCodeFlowControl}
		}
	}
	return nil
}

// reset is the client's: it gives a stream up. In its midst the delivery is
// cut; a complete one stays without its answer.
func (h *h2Conn) reset(id uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch s := h.streams[id]; {
	case s == nil:
	case s.complete:
		s.abandon(errAbandoned)
	default:
		s.end(EndedRST, errAbandoned)
	}
}

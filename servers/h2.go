package servers

import (
	"fmt"

	"golang.org/x/net/http2"
)

// HTTP2Code is an error code of RFC 9113 section 7. Codes without a name here
// may be used by their number.
type HTTP2Code = http2.ErrCode

// The codes that the faults of this package send.
const (
	HTTP2NoError         = http2.ErrCodeNo
	HTTP2ProtocolError   = http2.ErrCodeProtocol
	HTTP2InternalError   = http2.ErrCodeInternal
	HTTP2RefusedStream   = http2.ErrCodeRefusedStream
	HTTP2Cancel          = http2.ErrCodeCancel
	HTTP2EnhanceYourCalm = http2.ErrCodeEnhanceYourCalm
	HTTP2HTTP11Required  = http2.ErrCodeHTTP11Required
)

// HTTP2Options make a server that speaks HTTP/2, frame by frame. With
// Options.TLS the protocol is agreed upon by ALPN, without it the client must
// know beforehand (RFC 9113 section 3.3).
type HTTP2Options struct {
	Options

	// HTTP1 serves the requests of a client that speaks HTTP/1.1 instead; nil:
	// such a connection is closed without an answer.
	HTTP1 func(*Exchange)

	// MaxStreams bounds the open streams of one connection; zero means 250.
	// Further ones are refused.
	MaxStreams int
}

// NewHTTP2 starts a server that hands every stream to fault, on a goroutine of
// its own, as soon as the request's head is here. Bodies are read and entered
// whether or not the fault asks for them, so that flow control never holds a
// client back. A stream that a fault leaves open is reset with CANCEL.
func NewHTTP2(o HTTP2Options, fault func(*Stream)) (*Server, error) {
	if o.MaxStreams < 0 {
		return nil, fmt.Errorf("negative bound: streams %d", o.MaxStreams)
	}
	if o.MaxStreams == 0 {
		o.MaxStreams = 250
	}
	if o.TLS != nil {
		o.TLS = o.TLS.Clone()
		o.TLS.NextProtos = []string{http2.NextProtoTLS}
		if o.HTTP1 != nil {
			o.TLS.NextProtos = append(o.TLS.NextProtos, "http/1.1")
		}
	}
	return start(o.Options, func(c *Conn) {
		switch {
		case c.prefaced():
			newH2Conn(c, fault, o.MaxStreams).serve()
		case o.HTTP1 != nil:
			http1(o.HTTP1)(c)
		}
	})
}

// prefaced takes the client's preface (RFC 9113 section 3.4). False: the
// client speaks something else, and nothing was taken.
func (c *Conn) prefaced() bool {
	for n := 1; n <= len(http2.ClientPreface); n++ {
		b, err := c.br.Peek(n)
		if err != nil || b[n-1] != http2.ClientPreface[n-1] {
			return false
		}
	}
	c.br.Discard(len(http2.ClientPreface)) // it is buffered
	return true
}

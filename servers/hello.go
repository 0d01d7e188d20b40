package servers

import (
	"fmt"
	"io"
)

// A Hello is a server that ends the connection in the midst of a TLS
// handshake.
type Hello struct{ *Server }

// NewHello reads a client's whole ClientHello and ends the connection, which
// is EndedFIN or EndedRST. No TLS is spoken, so that there is nothing to
// decrypt and no request to act on: the ledger has a connection.
//
// A client that does not speak TLS has what it sent entered as a delivery, and
// its connection ended in the same way.
func NewHello(o Options, end string) (*Hello, error) {
	if end != EndedFIN && end != EndedRST {
		return nil, fmt.Errorf("end %q: want %s or %s", end, EndedFIN, EndedRST)
	}
	o.TLS = nil // it does not even shake hands
	s, err := start(o, func(c *Conn) {
		switch {
		case !c.hello() && !c.Arrived():
		case end == EndedRST:
			c.RST()
		default:
			c.FIN()
		}
	})
	if err != nil {
		return nil, err
	}
	return &Hello{s}, nil
}

// URL is the server's root, as one that speaks TLS would have it.
func (h *Hello) URL() string { return "https://" + h.Addr() }

// hello reads the record that a TLS client says first: a type, a version, and
// the length of the rest (RFC 8446 section 5.1). It takes nothing of what is
// none.
func (c *Conn) hello() bool {
	const head = 5
	b, err := c.br.Peek(head)
	if err != nil || b[0] != recordHandshake {
		return false
	}
	length := int64(b[3])<<8 | int64(b[4])
	_, err = io.CopyN(io.Discard, c.br, head+length)
	return err == nil
}

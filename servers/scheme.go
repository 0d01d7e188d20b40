package servers

import (
	"crypto/tls"
	"errors"
	"io"
)

// recordHandshake is the first byte of what a TLS client says first (RFC 8446
// section 5.1); no HTTP request begins with it.
const recordHandshake = 22

const (
	// notHTTP is what a server without TLS tells a client that speaks it.
	notHTTP = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n" +
		"this server speaks HTTP without TLS\n"

	// notTLS is the fatal alert unexpected_message, with which a TLS server ends
	// a connection whose first record is none (RFC 8446 sections 5 and 6.2).
	notTLS = "\x15\x03\x03\x00\x02\x02\x0a"
)

// sameScheme waits for the client's first byte and tells whether the client
// speaks TLS if, and only if, the server does. A client that does not is told
// so in its own language. The ledger has its connection and no delivery: there
// is no request that anybody could act on.
func (c *Conn) sameScheme() bool {
	first, err := c.br.Peek(1)
	var plain tls.RecordHeaderError
	switch {
	case errors.As(err, &plain) && plain.Conn != nil:
		c.turnAway(notTLS)
	case err == nil && first[0] == recordHandshake && c.s.opts.TLS == nil:
		c.turnAway(notHTTP)
	default:
		return err == nil
	}
	return false
}

// turnAway sends raw bytes below any TLS and says goodbye. What it returns is
// in nobody's ledger, and a client that does not listen has left.
func (c *Conn) turnAway(raw string) {
	if _, err := io.WriteString(c.tcp, raw); err == nil {
		c.linger()
	}
}

// linger sends the FIN, and reads and drops what the client still sends until
// it leaves or the server closes: a close now, with something unread, would be
// a reset, and could take what was sent last with it (RFC 9112 section 9.6).
func (c *Conn) linger() {
	c.CloseWrite()
	_, _ = io.Copy(io.Discard, c.tcp) // however that ends, it has ended
}

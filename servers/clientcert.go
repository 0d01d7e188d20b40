package servers

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
)

// NewClientCert wants a certificate of every client, over TLS 1.3, and answers
// 200 to whoever has one. The options must have TLS.
//
// A TLS 1.3 client has finished its side of the handshake when its certificate
// is looked at, and sends its request without waiting for the outcome. So that
// this is what happens, and not a race, the handshake goes on here only when
// the request is on its way too. A client without a certificate then gets the
// alert certificate_required (RFC 8446 section 4.4.2.4) where its answer should
// be. The ledger has its connection and no delivery: the request was never
// decrypted.
func NewClientCert(o Options) (*Server, error) {
	if o.TLS == nil {
		return nil, errors.New("a client's certificate needs TLS")
	}
	cfg := o.TLS.Clone()
	cfg.MinVersion, cfg.ClientAuth = tls.VersionTLS13, tls.RequireAnyClientCert
	serve := http1(func(x *Exchange) {
		if x.ReadBody() == nil {
			x.Commit()
			_ = x.Answer(http.StatusOK, nil, "") // the ledger has it: answered stays 0
		}
	})
	return start(o, func(c *Conn) {
		conn := tls.Server(&afterRequest{TCPConn: c.tcp}, cfg)
		c.rw = conn
		if conn.Handshake() != nil {
			c.linger()
			return
		}
		serve(c)
	})
}

// afterRequest is a connection whose TLS server reads the client's second
// flight, the one with the certificate, only once what follows it has arrived.
type afterRequest struct {
	*net.TCPConn
	wrote, waited bool
	early         bytes.Buffer // read from the client, not yet by TLS
}

func (c *afterRequest) Write(p []byte) (int, error) {
	c.wrote = true // the server's flight: what is read next is the client's second
	return c.TCPConn.Write(p)
}

func (c *afterRequest) Read(p []byte) (int, error) {
	if c.wrote && !c.waited {
		c.waited = true
		if err := c.await(); err != nil {
			return 0, err
		}
	}
	if c.early.Len() > 0 {
		return c.early.Read(p)
	}
	return c.TCPConn.Read(p)
}

// await reads three encrypted records: the certificate, if only an empty one,
// the end of the handshake, and the first of the request. It stops at another
// message of the handshake in plain text, as of a client that has to say hello
// once more.
func (c *afterRequest) await() error {
	const recordData = 23
	for encrypted := 0; encrypted < 3; {
		kind, err := c.record()
		switch {
		case err != nil:
			return err
		case kind == recordHandshake:
			return nil
		case kind == recordData:
			encrypted++
		}
	}
	return nil
}

// record reads one record and returns its type.
func (c *afterRequest) record() (kind byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(c.TCPConn, head[:]); err != nil {
		return 0, err
	}
	c.early.Write(head[:])
	_, err = io.CopyN(&c.early, c.TCPConn, int64(head[3])<<8|int64(head[4]))
	return head[0], err
}

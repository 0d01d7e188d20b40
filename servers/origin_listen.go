package servers

import (
	"errors"
	"net"

	"golang.org/x/net/http2"
)

// originOptions are those of one of an Origin's listeners.
func originOptions(o Options) (Options, error) {
	if o.TLS != nil {
		o.TLS = o.TLS.Clone()
		o.TLS.NextProtos = []string{http2.NextProtoTLS, "http/1.1"}
	}
	return o.withDefaults()
}

// Listen serves the same calls at one more address, as over TLS beside an
// Origin without it. Close closes it too, and nothing else need. The server's
// own ledger stays empty: what reaches it is the calls'.
func (o *Origin) Listen(opts Options) (*Server, error) {
	opts, err := originOptions(opts)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing() {
		return nil, net.ErrClosed
	}
	ln, err := listen(opts)
	if err != nil {
		return nil, err
	}
	s := newServer(ln, nil, opts, o.serveConn)
	s.origin = o
	o.more = append(o.more, s)
	s.begin()
	return s, nil
}

// Close closes every listener of the Origin, as [Server.Close] does one.
func (o *Origin) Close() error {
	err := o.Server.Close() // from here on, Listen adds none
	o.mu.RLock()
	more := o.more
	o.mu.RUnlock()
	for _, s := range more {
		err = errors.Join(err, s.Close())
	}
	return err
}

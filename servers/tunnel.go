package servers

import (
	"fmt"
	"net/http"
)

// NewNoTunnel is a proxy that answers every CONNECT with status, 300 to 999,
// and makes no tunnel.
//
// A CONNECT is the proxy's own business and no delivery, as a query to a
// resolver is none: nothing of the request for which the tunnel was wanted has
// been sent. Any other request is one, and is answered in the same way.
func NewNoTunnel(o Options, status int) (*Server, error) {
	if status < 300 || status > 999 {
		return nil, fmt.Errorf("status %d makes a tunnel, or is not final: want 300 to 999", status)
	}
	h := http.Header{"Connection": {"close"}}
	if status == http.StatusProxyAuthRequired {
		h.Set("Proxy-Authenticate", `Basic realm="lab"`)
	}
	refuse := func(x *Exchange) { _ = x.Answer(status, h, "") } // the ledger has it: answered stays 0
	serve := http1(refuse)
	return start(o, func(c *Conn) {
		b, err := c.br.Peek(len(http.MethodConnect))
		if err != nil || string(b) != http.MethodConnect {
			serve(c)
			return
		}
		if x, ok := c.readHead(); ok { // no delivery was begun
			refuse(x)
		}
	})
}

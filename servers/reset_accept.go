package servers

// NewResetOnAccept resets every connection as soon as it is accepted, and reads
// nothing of it.
//
// The handshake is the kernel's and has succeeded by then, so that it is a race
// where the client finds the reset: at the end of its connect, when nothing was
// sent; when it writes; or when it reads, its request having been taken by the
// kernel. The ledger has the connection and no delivery, whichever it was.
func NewResetOnAccept(o Options) (*Server, error) {
	return start(o, func(c *Conn) { c.RST() })
}

package servers

// NewReset resets every connection on the first byte of a request: it reads
// and enters what has arrived, then closes with a reset.
//
// A client whose request is one write finds the reset when it reads
// (ECONNRESET); one that still writes may find it there.
func NewReset(o Options) (*Server, error) {
	return start(o, func(c *Conn) {
		if c.Arrived() {
			c.RST()
		}
	})
}

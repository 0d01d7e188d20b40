package servers

// NewSilent accepts connections and never says a word, whatever protocol the
// client speaks; what it sends is read and dropped. A client that waits for a
// TLS handshake, or for a greeting, waits for ever.
func NewSilent(o Options) (*Server, error) {
	o.TLS = nil // it does not even shake hands
	return start(o, func(c *Conn) { c.Stall() })
}

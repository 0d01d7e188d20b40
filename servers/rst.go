package servers

// NewRST reads every request whole, commits it, and resets the connection,
// without a byte of an answer. That the work is done the client cannot know.
func NewRST(o Options) (*Server, error) {
	return start(o, http1(func(x *Exchange) {
		if x.ReadBody() == nil {
			x.Commit()
			x.RST()
		}
	}))
}

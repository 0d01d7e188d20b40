package servers

// NewFIN reads every request whole, commits it, and closes the connection in
// order, without a byte of an answer.
//
// The client reads an end of file where the head of the answer should be. That
// the work is done it cannot know (RFC 9112 section 9.3.1).
func NewFIN(o Options) (*Server, error) {
	return start(o, http1(func(x *Exchange) {
		if x.ReadBody() == nil {
			x.Commit()
			x.FIN()
		}
	}))
}

package servers

import "net/http"

// NewHalfClose ends its own side mid-upload and goes on reading: it reads the
// head and one byte of the body, sends the FIN, and drops what still comes
// until the client leaves. It is the lingering close of RFC 9112 section 9.6
// by a server that has nothing to say.
//
// Nothing is reset. A client that takes the end for the connection's, as
// net/http does, closes it under its own upload. A request without two bytes
// of body is answered 400.
func NewHalfClose(o Options) (*Server, error) {
	return start(o, http1(func(x *Exchange) {
		switch {
		case x.ReadSome(1) != nil:
		case x.bodyDone:
			_ = x.Answer(http.StatusBadRequest, nil, "not an upload: want a body of two bytes or more\n")
		default:
			x.c.CloseWrite()
			x.Stall()
		}
	}))
}

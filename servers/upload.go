package servers

import "net/http"

// DrainedFirst is how much of a body [NewDrained] reads before it closes, in
// bytes: more than net/http holds back, less than a socket buffer takes.
const DrainedFirst = 16 << 10

// NewUnread closes mid-upload while data of the client lies unread in the
// kernel's buffer, which makes the close a reset. It reads the head and one
// byte of the body, waits until it is certain that there is more, and closes.
//
// Any upload of two bytes or more will do, in one write or in many. What the
// client sees depends on its own writes: a plain socket that goes on writing
// gets ECONNRESET from write; one whose whole request had been written gets it
// from read. A request without two bytes of body is answered 400. With TLS the
// body must be longer than a record (16 KiB).
func NewUnread(o Options) (*Server, error) {
	return start(o, func(c *Conn) {
		c.in.single = true // what is read ahead is not in the kernel's buffer
		http1(func(x *Exchange) {
			switch {
			case x.ReadSome(1) != nil:
			case x.bodyDone:
				_ = x.Answer(http.StatusBadRequest, nil, "not an upload: want a body of two bytes or more\n")
			case c.AwaitUnread() == nil:
				c.FIN()
			}
		})(c)
	})
}

// NewDrained closes mid-upload with an empty buffer: it reads the head and
// [DrainedFirst] bytes of the body, and closes.
//
// The exact form, for a client whose first write after the close is to succeed
// and whose next is to get EPIPE: announce a longer body by Content-Length,
// send the head and DrainedFirst bytes of it, read until EOF, and only then
// write until it fails. That is the second write, unless the kernel, still in
// close(2), is late with the reset. With net/http the body's Reader yields
// DrainedFirst bytes and then waits until the ledger says how the delivery
// ended.
//
// A client that does not stop after DrainedFirst bytes has more in the buffer.
// It gets the FIN before the close, so that a plain socket's write ends in
// EPIPE all the same; how many succeed before is open. A body of DrainedFirst
// bytes or less is read whole, and its connection closed without an answer.
func NewDrained(o Options) (*Server, error) {
	return start(o, http1(func(x *Exchange) {
		if x.ReadSome(DrainedFirst) != nil {
			return
		}
		if x.c.br.Buffered() > 0 || x.c.unread() {
			x.c.CloseWrite()
		}
		x.FIN()
	}))
}

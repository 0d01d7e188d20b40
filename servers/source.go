package servers

import "errors"

// maxHead bounds one request's head, in bytes.
const maxHead = 64 << 10

var (
	errHeadTooLarge = errors.New("head exceeds 64 KiB")
	errNotHere      = errors.New("nothing more has arrived")
)

// source is what a connection's buffer reads from. It counts, and reads under
// the limits a fault sets.
type source struct {
	c   *Conn
	n   int64 // read so far
	err error // what ended it

	bounded bool // left applies: a head is being read
	left    int64

	single bool // a byte a read, so that nothing is read ahead
	noWait bool // errNotHere rather than waiting for the peer
}

func (s *source) Read(p []byte) (int, error) {
	if s.noWait && !s.c.unread() {
		return 0, errNotHere
	}
	if s.bounded {
		if s.left <= 0 {
			return 0, errHeadTooLarge
		}
		p = p[:min(int64(len(p)), s.left)]
	}
	if s.single {
		p = p[:min(len(p), 1)]
	}
	n, err := s.c.rw.Read(p)
	s.n += int64(n)
	s.left -= int64(n)
	s.err = err
	return n, err
}

// unread says whether the kernel holds bytes of the peer that nobody has read.
// A close then is a reset. It does not wait.
func (c *Conn) unread() bool {
	rc, err := c.tcp.SyscallConn()
	if err != nil {
		return false
	}
	n := 0
	if err := rc.Control(func(fd uintptr) { n, err = peek(fd) }); err != nil {
		return false
	}
	return n > 0 && err == nil
}

// AwaitUnread waits until the kernel holds bytes of the peer that nobody has
// read, and leaves them there. It returns io.EOF if the peer closes first, or
// the connection's error.
func (c *Conn) AwaitUnread() error {
	rc, err := c.tcp.SyscallConn()
	if err != nil {
		return err
	}
	return awaitUnread(rc)
}

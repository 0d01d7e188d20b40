package netns

import "fmt"

// endSize is how much of each end of its input an ends keeps.
const endSize = 2 << 10

// An ends is a writer that takes everything and keeps the beginning and the
// end: a crash says why first and where last. The zero value is ready.
type ends struct {
	head, tail []byte
	dropped    int64
}

// Write keeps what is at either end. It never fails.
func (e *ends) Write(p []byte) (int, error) {
	n := len(p)
	room := min(endSize-len(e.head), n)
	e.head = append(e.head, p[:room]...)
	p = p[room:]
	if over := len(p) - endSize; over > 0 { // none of it would stay
		e.dropped += int64(over)
		p = p[over:]
	}
	e.tail = append(e.tail, p...)
	if over := len(e.tail) - endSize; over > 0 {
		e.dropped += int64(over)
		e.tail = append(e.tail[:0], e.tail[over:]...)
	}
	return n, nil
}

// String is what was kept, quoted and escaped, as one line.
func (e *ends) String() string {
	if e.dropped == 0 {
		return fmt.Sprintf("%q", append(e.head[:len(e.head):len(e.head)], e.tail...))
	}
	return fmt.Sprintf("%q … %d bytes left out … %q", e.head, e.dropped, e.tail)
}

package servers

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
)

// peek waits for the first byte of a request and enters its delivery; false
// when there is none to come. One empty line after a request is skipped, as
// RFC 9112 section 2.2 asks.
func (c *Conn) peek() bool {
	for skipped := 0; ; skipped++ {
		b, err := c.br.Peek(1)
		if err != nil {
			return false
		}
		if c.last == nil || skipped == 2 || (b[0] != '\r' && b[0] != '\n') {
			break
		}
		c.br.Discard(1) // one byte is buffered
	}
	c.last = c.begin()
	return true
}

// readHead reads and enters a head; where it breaks off, its part. A client
// that sends no HTTP, or too much of it, is told so.
func (c *Conn) readHead() (*Exchange, bool) {
	before := c.taken()
	c.in.bounded, c.in.left = true, maxHead-int64(c.br.Buffered())
	req, err := http.ReadRequest(c.br)
	c.in.bounded = false
	size := int(c.taken() - before)
	if err != nil {
		c.last.set(func(d *Delivery) { d.HeadBytes = size })
		c.lost(cmp.Or(c.in.err, err)) // a head that is cut off may read as malformed
		c.refuse(err)
		return nil, false
	}
	x := &Exchange{
		Request: req, c: c,
		bodyDone: req.ContentLength == 0 && len(req.TransferEncoding) == 0,
	}
	c.enter(c.last, req, size, x.bodyDone)
	return x, true
}

// attemptOf is the number of the client's attempt, 0 where it names none.
func attemptOf(h http.Header) int {
	word := h.Get(AttemptHeader)
	if word == "" {
		return 0
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || n > 1<<20 {
		return 0
	}
	return n
}

// refuse answers a head that could not be read, where somebody is there to
// read the answer.
func (c *Conn) refuse(err error) {
	if c.gone || c.in.noWait || c.s.closing() {
		return
	}
	status := http.StatusBadRequest
	if errors.Is(err, errHeadTooLarge) {
		status = http.StatusRequestHeaderFieldsTooLarge
	}
	x := &Exchange{Request: &http.Request{Close: true}, c: c}
	_ = x.Answer(status, nil, err.Error()+"\n") // the ledger has it: answered stays 0
}

// arrivedMax bounds what Arrived takes of a body, in bytes.
const arrivedMax = 64 << 10

// Arrived waits for the first byte of a request, takes and enters whatever has
// come with it, head, body or part of either, and does not wait for more. Of a
// body it takes 64 KiB at most. False: there was no request.
func (c *Conn) Arrived() bool {
	if !c.peek() {
		return false
	}
	c.in.noWait = true
	defer func() { c.in.noWait = false }()
	if x, ok := c.readHead(); ok {
		x.continued = true         // says nothing, no interim 100 either
		_ = x.ReadSome(arrivedMax) // entered as far as it came
	}
	return true
}

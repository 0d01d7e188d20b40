package retry

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"
)

// What is read of the body of a response that is thrown away, so that its
// connection can be used again: that much, for that long.
const (
	maxDrain  = 64 << 10
	drainTime = 250 * time.Millisecond
)

// drain reads the rest of a body, within bounds, and closes it. What fails
// here fails with the connection.
func drain(body io.ReadCloser) {
	if body == nil || body == http.NoBody {
		return
	}
	timer := time.AfterFunc(drainTime, func() { body.Close() })
	_, _ = io.CopyN(io.Discard, body, maxDrain)
	timer.Stop()
	body.Close()
}

// maxPeek is what the classifier looks at of a body.
const maxPeek = 4 << 10

// peek reads the beginning of a body and puts it back.
func peek(resp *http.Response) []byte {
	if resp.Body == nil || resp.Body == http.NoBody {
		return nil
	}
	begin, err := io.ReadAll(io.LimitReader(resp.Body, maxPeek))
	resp.Body = &putBack{ReadCloser: resp.Body, begin: bytes.NewReader(begin), err: err}
	return begin
}

// putBack is a body whose beginning was read already, maybe up to an error.
type putBack struct {
	io.ReadCloser
	begin *bytes.Reader
	err   error
}

func (b *putBack) Read(p []byte) (int, error) {
	if b.begin.Len() > 0 {
		return b.begin.Read(p)
	}
	if b.err != nil {
		return 0, b.err
	}
	return b.ReadCloser.Read(p)
}

// hold is the body of the response that is returned: at its end, what the
// attempt held on to is let go. Where that is nothing, it is the body itself.
func (c *call) hold(t *try, resp *http.Response) io.ReadCloser {
	if etag := c.resumable(resp); etag != "" {
		return c.resumed(t, resp.Body, etag)
	}
	nothing := t.cancel == nil && c.end == nil && !t.rec.Held()
	if nothing || resp.Body == nil {
		return resp.Body
	}
	if resp.Body == http.NoBody {
		t.release()
		c.stopTimer()
		return resp.Body
	}
	h := &heldBody{ReadCloser: resp.Body, c: c, t: t}
	if w, ok := resp.Body.(io.Writer); ok && resp.StatusCode == http.StatusSwitchingProtocols {
		return &heldStream{heldBody: h, Writer: w}
	}
	return h
}

// heldBody lets go at its end.
type heldBody struct {
	io.ReadCloser
	c    *call
	t    *try
	once sync.Once
}

func (b *heldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(b.letGo)
	}
	return n, err
}

func (b *heldBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.letGo)
	return err
}

func (b *heldBody) letGo() {
	b.t.release()
	b.c.stopTimer()
}

// heldStream is the body of a 101, which is written to as well.
type heldStream struct {
	*heldBody
	io.Writer
}

var _ io.ReadWriteCloser = (*heldStream)(nil)

// Read of a stream that goes both ways does not end it: the other way may go
// on.
func (s *heldStream) Read(p []byte) (int, error) { return s.ReadCloser.Read(p) }

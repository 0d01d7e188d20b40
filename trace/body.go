package trace

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
)

// body counts what the transport takes of a request's body and notes when the
// body's own Reader fails, which is nobody's network error. What it returns once
// the transport has closed it is no failure: HTTP/2 closes it, because of an
// error of its own, while it is read.
type body struct {
	io.ReadCloser
	a      *Attempt
	closed atomic.Bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.a.body.read.Add(int64(n))
	if err != nil && !errors.Is(err, io.EOF) && !b.closed.Load() {
		b.a.body.failed.Store(true)
	}
	return n, err
}

func (b *body) Close() error {
	b.closed.Store(true)
	return b.ReadCloser.Close()
}

type bodyCount struct {
	read   atomic.Int64
	size   int64
	failed atomic.Bool
	whole  bool // not counted: taken whole when the request was written
}

// taken is how much of the body the transport has taken.
func (b *bodyCount) taken(wroteRequest bool) int64 {
	if b.whole && wroteRequest {
		return b.size
	}
	return b.read.Load()
}

// countBody replaces the body of r, which is a copy, by one that counts; the
// transport's own rewinding is counted too. A body that net/http knows to be
// in memory stays as it is: it goes out with the head, in one write, and would
// not if it were another type. It cannot fail.
func (a *Attempt) countBody(r *http.Request) {
	a.body.size = r.ContentLength
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	if r.ContentLength == 0 {
		a.body.size = -1
	}
	if inMemory(r.Body) && r.Header.Get("Expect") == "" {
		a.body.whole = true
		return
	}
	r.Body = &body{ReadCloser: r.Body, a: a}
	if get := r.GetBody; get != nil {
		r.GetBody = func() (io.ReadCloser, error) {
			rc, err := get()
			if err != nil {
				return nil, err
			}
			a.body.read.Store(0)
			return &body{ReadCloser: rc, a: a}, nil
		}
	}
}

// The types that http.NewRequest puts around a body that is no io.Closer.
var (
	nopCloser         = reflect.TypeOf(io.NopCloser(nil))
	nopCloserWriterTo = reflect.TypeOf(io.NopCloser((*strings.Reader)(nil)))
)

// inMemory is net/http's isKnownInMemoryReader.
func inMemory(r io.Reader) bool {
	switch reflect.TypeOf(r) {
	case nopCloser, nopCloserWriterTo:
		inner, ok := reflect.ValueOf(r).Field(0).Interface().(io.Reader)
		return ok && inMemory(inner)
	}
	switch r.(type) {
	case *bytes.Reader, *bytes.Buffer, *strings.Reader:
		return true
	}
	return false
}

package trace

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// body counts what the transport takes of a request's body and notes when the
// body's own Reader fails, which is nobody's network error.
type body struct {
	io.ReadCloser
	a *Attempt
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.a.body.read.Add(int64(n))
	if err != nil && !errors.Is(err, io.EOF) {
		b.a.body.failed.Store(true)
	}
	return n, err
}

type bodyCount struct {
	read   atomic.Int64
	size   int64
	failed atomic.Bool
}

// countBody replaces the body of r, which is a copy, by one that counts; the
// transport's own rewinding is counted too.
func (a *Attempt) countBody(r *http.Request) {
	a.body.size = r.ContentLength
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	if r.ContentLength == 0 {
		a.body.size = -1
	}
	r.Body = &body{r.Body, a}
	if get := r.GetBody; get != nil {
		r.GetBody = func() (io.ReadCloser, error) {
			rc, err := get()
			if err != nil {
				return nil, err
			}
			a.body.read.Store(0)
			return &body{rc, a}, nil
		}
	}
}

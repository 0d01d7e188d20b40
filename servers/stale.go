package servers

import (
	"fmt"
	"net"
	"net/http"
)

// StaleOptions make a keep-alive connection that fails on its second request.
type StaleOptions struct {
	Options

	// End is how that connection ends, EndedFIN or EndedRST; empty is EndedFIN.
	End string

	// Gone: the listener goes first. Whoever comes back is refused; on unix
	// the port stays bound until Close, so that it is nobody else's.
	Gone bool
}

// A Stale answers the first request of a connection with 200. The second on
// the same connection it reads whole and commits, and then closes without an
// answer: what a client sees of a server that restarts, or of an idle timeout
// that crosses a request, once the work is done.
//
// Safe methods and requests on [WarmUpPath] commit nothing. A key is honoured:
// sent again with the same body, it is answered 200 and commits nothing more.
type Stale struct {
	*Server
	opts StaleOptions
	book book
}

// NewStale starts such a server.
func NewStale(o StaleOptions) (*Stale, error) {
	if o.End == "" {
		o.End = EndedFIN
	}
	if o.End != EndedFIN && o.End != EndedRST {
		return nil, fmt.Errorf("end %q: want %s or %s", o.End, EndedFIN, EndedRST)
	}
	opts, err := o.Options.withDefaults()
	if err != nil {
		return nil, err
	}
	var ln *net.TCPListener
	var release func() error
	if o.Gone {
		ln, release, err = listenHeld(opts)
	} else {
		ln, err = listen(opts)
	}
	if err != nil {
		return nil, err
	}
	f := &Stale{opts: o, book: book{limit: 10_000, calls: map[callID]*call{}}}
	f.Server = startOn(ln, release, opts, f.serve)
	return f, nil
}

// serve is one connection. An answer that cannot be sent is in the ledger.
func (f *Stale) serve(c *Conn) {
	second := false
	http1(func(x *Exchange) {
		if x.ReadBody() != nil {
			return
		}
		refused := f.work(x)
		switch {
		case refused != nil:
			_ = x.Answer(refused.status, nil, refused.why+"\n")
		case second:
			f.end(x)
		default:
			second = true
			_ = x.Answer(http.StatusOK, nil, "")
		}
	})(c)
}

// work commits what the request asks for, unless its key says that it is done.
func (f *Stale) work(x *Exchange) *refusal {
	switch x.Request.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return nil
	}
	if x.Request.URL.Path == WarmUpPath {
		return nil
	}
	id := callID{path: x.Request.URL.Path, key: x.Key()}
	stored, refused := f.book.accept(id, x.BodySum())
	if refused != nil || stored != "" {
		return refused
	}
	defer f.book.finish(id)
	f.book.commit(id, x.Commit)
	return nil
}

// end breaks the connection, the listener before it.
func (f *Stale) end(x *Exchange) {
	if f.opts.Gone {
		_ = x.c.s.stopListening() // Close returns what it returned
	}
	if f.opts.End == EndedRST {
		x.RST()
		return
	}
	x.FIN()
}

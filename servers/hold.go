package servers

import (
	"net/http"
	"sync"
)

// A Hold keeps the requests on [WarmUpPath] waiting until they are let go, so
// that a client's connections are busy; it commits and answers every other
// request at once, with 200.
type Hold struct {
	*Server
	free chan struct{}
	once sync.Once
}

// NewHold starts a server that holds.
func NewHold(o Options) (*Hold, error) {
	h := &Hold{free: make(chan struct{})}
	s, err := start(o, http1(h.serve))
	if err != nil {
		return nil, err
	}
	h.Server = s
	return h, nil
}

// Free answers all that wait, and from now on every request at once.
func (h *Hold) Free() { h.once.Do(func() { close(h.free) }) }

func (h *Hold) serve(x *Exchange) {
	if x.ReadBody() != nil {
		return
	}
	if x.Request.URL.Path != WarmUpPath {
		x.Commit()
	} else if !x.held(h.free) {
		return
	}
	_ = x.Answer(http.StatusOK, nil, "") // the ledger has it: answered stays 0
}

// held waits until free is closed; false if the server closes first.
func (x *Exchange) held(free <-chan struct{}) bool {
	defer x.c.watch()() // else a client that left is not noticed
	select {
	case <-free:
		return true
	case <-x.Closing():
		return false
	}
}

package servers

import (
	"fmt"
	"net/http"
	"sync/atomic"
)

// A Publisher keeps what was published: a POST publishes one thing more and is
// answered 201, a GET is answered with how many there are. In an outage of its
// reads every GET is reset, while a POST goes through.
type Publisher struct {
	*Server
	published atomic.Int64
	outage    atomic.Bool
}

// NewPublisher starts one that nothing was published on.
func NewPublisher(o Options) (*Publisher, error) {
	p := &Publisher{}
	s, err := start(o, http1(p.serve))
	if err != nil {
		return nil, err
	}
	p.Server = s
	return p, nil
}

// Outage begins or ends the outage of the reads.
func (p *Publisher) Outage(on bool) { p.outage.Store(on) }

// serve is one delivery. An answer that cannot be sent is in the ledger.
func (p *Publisher) serve(x *Exchange) {
	if x.ReadBody() != nil {
		return
	}
	switch {
	case x.Request.Method == http.MethodPost:
		x.Commit()
		_ = x.Answer(http.StatusCreated, nil, publishedBody(p.published.Add(1)))
	case x.Request.Method != http.MethodGet:
		_ = x.Answer(http.StatusMethodNotAllowed, http.Header{"Allow": {"GET, POST"}}, "")
	case p.outage.Load():
		x.RST()
	default:
		_ = x.Answer(http.StatusOK, nil, publishedBody(p.published.Load()))
	}
}

func publishedBody(n int64) string { return fmt.Sprintf("{\"published\":%d}\n", n) }

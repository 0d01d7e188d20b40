package service

import (
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// A fault is one that a whole port has.
type fault struct {
	name, says string
	scheme     string // by which a client is to ask
	open       func(*Service, servers.Options) (opened, error)
}

// An opened fault is a server.
type opened struct {
	addr   string
	ledger *servers.Ledger // nil: the kernel answers
	close  func() error
}

// faults are the ports, in their order; nothing changes them.
var faults = []fault{
	{"refused", "nobody listens: the kernel refuses to connect", "http", refused},
	{"reset", "resets every connection once it is accepted", "http", reset},
	{"backlog", "never accepts, and its queue is full: connecting takes for ever", "http", backlog},
	{"silent", "accepts, reads, and never says a word", "http", silent},

	{"tls-silent", "never answers the client's hello", "https", silent},
	{"tls-fin", "closes the connection on the client's hello", "https", hello(servers.EndedFIN)},
	{"tls-reset", "resets the connection on the client's hello", "https", hello(servers.EndedRST)},
	{"tls-untrusted", "a certificate that vouches for itself alone", "https", cert(servers.CertOptions{SelfSigned: true})},
	{"tls-expired", "a certificate that ended an hour ago", "https", expired},
	{"tls-wrong-host", "a certificate for another host", "https", cert(servers.CertOptions{Hosts: []string{"other.invalid"}})},
	{"tls-client-cert", "wants a certificate of the client's", "https", clientCert},
	{"tls-plain", "speaks HTTP without TLS where its URL says https", "https", plain},
	{"plain-tls", "speaks TLS where its URL says http", "http", cert(servers.CertOptions{})},

	{"h2-only", "speaks HTTP/2 alone, by ALPN, and closes on a client of HTTP/1.1", "https", h2(func(s *servers.Stream) {
		if s.ReadBody() == nil {
			s.Commit()
			_ = s.Answer(200, nil, "") // the ledger has it
		}
	})},
	{"h2-goaway", "sends GOAWAY for every stream: nothing of it was processed", "https", h2Fault("goaway-above")},
	{"h2-refused-stream", "resets every stream with REFUSED_STREAM: nothing of it was processed", "https", h2Fault("refused-stream")},
	{"h2-reset", "reads the request, does the work, and resets the connection", "https", h2Fault("connection-reset")},
}

// of is a server that has a ledger.
func of(s *servers.Server, err error) (opened, error) {
	if err != nil {
		return opened{}, err
	}
	return opened{s.Addr(), s.Ledger(), s.Close}, nil
}

func refused(_ *Service, o servers.Options) (opened, error) {
	r, err := servers.NewRefusedAt(o)
	if err != nil {
		return opened{}, err
	}
	return opened{r.Addr(), nil, r.Close}, nil
}

func reset(_ *Service, o servers.Options) (opened, error) {
	return of(servers.NewResetOnAccept(servers.ResetOnAcceptOptions{Options: o}))
}

func backlog(_ *Service, o servers.Options) (opened, error) {
	b, err := servers.NewFullBacklog(o)
	if err != nil {
		return opened{}, err
	}
	return opened{b.Addr(), nil, b.Close}, nil
}

func silent(_ *Service, o servers.Options) (opened, error) { return of(servers.NewSilent(o)) }

func hello(end string) func(*Service, servers.Options) (opened, error) {
	return func(_ *Service, o servers.Options) (opened, error) {
		h, err := servers.NewHello(o, end)
		if err != nil {
			return opened{}, err
		}
		return of(h.Server, nil)
	}
}

// cert serves a certificate. A client that takes it is answered 200, and the
// work is done: the ledger shows that it has looked away.
func cert(c servers.CertOptions) func(*Service, servers.Options) (opened, error) {
	return func(s *Service, o servers.Options) (opened, error) {
		var err error
		if o.TLS, err = s.config(c); err != nil {
			return opened{}, err
		}
		return of(servers.NewCommitted(o, 200, nil))
	}
}

func expired(s *Service, o servers.Options) (opened, error) {
	ended := time.Now().Add(-time.Hour)
	return cert(servers.CertOptions{NotBefore: ended.Add(-time.Hour), NotAfter: ended})(s, o)
}

func clientCert(s *Service, o servers.Options) (opened, error) {
	var err error
	if o.TLS, err = s.config(servers.CertOptions{}); err != nil {
		return opened{}, err
	}
	return of(servers.NewClientCert(o))
}

func plain(_ *Service, o servers.Options) (opened, error) {
	return of(servers.NewCommitted(o, 200, nil))
}

func h2(f func(*servers.Stream)) func(*Service, servers.Options) (opened, error) {
	return func(s *Service, o servers.Options) (opened, error) {
		var err error
		if o.TLS, err = s.config(servers.CertOptions{}); err != nil {
			return opened{}, err
		}
		return of(servers.NewHTTP2(servers.HTTP2Options{Options: o}, f))
	}
}

// h2Fault commits and answers 200 to a client that comes with HTTP/1.1.
func h2Fault(name string) func(*Service, servers.Options) (opened, error) {
	return func(s *Service, o servers.Options) (opened, error) {
		var err error
		if o.TLS, err = s.config(servers.CertOptions{}); err != nil {
			return opened{}, err
		}
		return of(servers.NewHTTP2Fault(servers.HTTP2FaultOptions{HTTP2Options: servers.HTTP2Options{Options: o}, Fault: name}))
	}
}

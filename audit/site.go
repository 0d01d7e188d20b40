package audit

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// A site is the servers of one run. Every run has its own, so that every
// connection to them is that run's.
type site struct {
	origin *servers.Origin // nil: not yet, or there is none
	calls  []*servers.Call // by hop
	port   int             // of the origin; 0: there is none

	start     time.Duration // what the command needs to start
	url, warm string
	waitUntil time.Time // the date of a Retry-After; zero: there is none

	// late brings the origin up, lateBy after the command first tried to
	// connect; nil: it is up.
	late   func() error
	lateBy time.Duration
	upAt   time.Time

	knocks int // connections that the lab itself made
	holder io.Closer
}

// most is how many deliveries a run may make before it has shown that it has
// no bound.
const most = 60

// open starts the servers of a run, as far as they are there from the
// beginning.
func (l *lab) open(c Case, run int) (*site, error) {
	s := &site{start: l.start}
	switch c.Where {
	case Refused:
		r, err := servers.NewRefused()
		if err != nil {
			return nil, err
		}
		s.holder, s.port, s.lateBy = r, r.Port(), refusedFor
		if l.inside != nil {
			s.lateBy = refusedSeen
		}
	case Backlog:
		b, err := servers.NewFullBacklog(servers.Options{})
		if err != nil {
			return nil, err
		}
		s.holder, s.port, s.lateBy = b, b.Port(), deafFor
	case NoName:
		s.url = "http://" + noName + "/"
		return s, nil
	default:
		return s, s.listen("", l.tlsOf(c.Where), c.variant(run))
	}
	scripts := c.variant(run)
	scripts[0].ID = lateID
	s.url = fmt.Sprintf("http://127.0.0.1:%d/c/%s/", s.port, lateID)
	s.late = func() error {
		if err := s.holder.Close(); err != nil {
			return err
		}
		s.upAt = time.Now()
		return s.listen(fmt.Sprintf("127.0.0.1:%d", s.port), nil, scripts)
	}
	return s, nil
}

// noName is a name that does not exist (RFC 6761 section 6.4). lateID names
// the call of a server that is not there yet.
const (
	noName = "no-such-host.invalid"
	lateID = "late"
)

// How long after the first try to connect a server comes up: refusedSeen where
// that is seen, refusedFor where it is reckoned. deafFor is more
// than the time-out of safe/post-connect-timeout and less than the second after
// which a kernel tries again by itself.
const (
	refusedSeen = 100 * time.Millisecond
	refusedFor  = 700 * time.Millisecond
	deafFor     = (connectTimeoutMS + 20) * time.Millisecond

	connectTimeoutMS = 700
)

// listen starts the origin with the calls of the scripts.
func (s *site) listen(addr string, config *tls.Config, scripts []servers.Script) error {
	origin, err := servers.OpenOrigin(servers.OriginOptions{
		Options: servers.Options{Addr: addr, TLS: config}, MaxDeliveries: 4 * most,
	})
	if err != nil {
		return err
	}
	s.origin, s.port = origin, origin.Port()
	return s.create(scripts)
}

// create makes the calls, the last hop first, to which the one before points.
func (s *site) create(scripts []servers.Script) error {
	next := ""
	s.calls = make([]*servers.Call, len(scripts))
	for hop := len(scripts) - 1; hop >= 0; hop-- {
		call, err := s.origin.Create(s.ready(scripts[hop], next))
		if err != nil {
			return err
		}
		s.calls[hop], next = call, call.URL()
	}
	s.url, s.warm = s.calls[0].URL(), s.calls[0].WarmURL()
	return nil
}

// ready fills in what is known only now.
func (s *site) ready(given servers.Script, next string) servers.Script {
	out := given
	out.Steps = make([]servers.Step, len(given.Steps))
	for i, step := range given.Steps {
		if len(step.Header) > 0 {
			header := map[string]string{}
			for name, value := range step.Header {
				if value == dateWord {
					s.waitUntil = time.Now().Add(s.start).Truncate(time.Second).Add(dateWait * time.Second)
					value = s.waitUntil.UTC().Format(http.TimeFormat)
				}
				header[name] = strings.ReplaceAll(value, nextWord, next)
			}
			step.Header = header
		}
		out.Steps[i] = step
	}
	return out
}

// tlsOf is the configuration of a server.
func (l *lab) tlsOf(w Where) *tls.Config {
	switch w {
	case OverTLS, OverH2:
		return &tls.Config{Certificates: []tls.Certificate{l.trusted}}
	case Untrusted:
		return &tls.Config{Certificates: []tls.Certificate{l.untrusted}}
	}
	return nil
}

// settle returns when every connection has been accepted and has ended: the
// last process of the client is gone, so each ends by itself. It knocks: when
// the server has let go of that connection, those before it in the queue have
// been accepted. A client that stays keeps its connections; it is enough that
// nothing is under way, and nothing new comes for a while.
func (s *site) settle(ctx context.Context, stays bool) error {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	if err := s.knock(ctx); err != nil {
		return fmt.Errorf("knock: %w", err)
	}
	if stays {
		for _, call := range s.calls {
			_ = call.Await(ctx, 0, lingers) // close ends what is still under way
		}
		return nil
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for s.origin.Stats().OpenConnections > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil // what is still open is closed by close
		}
	}
	return nil
}

// knock connects, says nothing, and waits for the server to close.
func (s *site) knock(ctx context.Context) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", s.origin.Addr())
	if err != nil {
		return err
	}
	defer c.Close() // nothing was written
	s.knocks++
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	deadline, _ := ctx.Deadline()
	if err := c.SetReadDeadline(deadline); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, c) // however it ends, it has been accepted
	return nil
}

// settleTime is how long connections of a client that is gone may take to end.
const settleTime = 2 * time.Second

// lingers is how long a call must be quiet after a client that stays has
// answered.
const lingers = 50 * time.Millisecond

// close closes what is open. It may be called more than once.
func (s *site) close() error {
	var err error
	if s.holder != nil {
		err = s.holder.Close()
	}
	if s.origin != nil {
		err = errors.Join(err, s.origin.Close())
	}
	return err
}

// connections that the client opened.
func (s *site) connections() int { return int(s.origin.Stats().Connections) - s.knocks }

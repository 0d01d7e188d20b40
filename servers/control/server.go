package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// A Server is an API on a port of its own.
type Server struct {
	ln   net.Listener
	http *http.Server
	end  context.CancelFunc
	done chan error // of Serve

	once sync.Once
	err  error
}

// maxConns bounds the open connections of one Server.
const maxConns = 512

// Listen serves the API at addr, which must be loopback unless unsafe. Empty
// means 127.0.0.1:0.
func Listen(addr string, unsafe bool, a *API) (*Server, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: %w", addr, err)
	}
	if !unsafe && !tcp.IP.IsLoopback() {
		return nil, fmt.Errorf("listen address %q is not loopback", addr)
	}
	ln, err := net.ListenTCP("tcp", tcp)
	if err != nil {
		return nil, fmt.Errorf("no listener: %w", err)
	}
	ctx, end := context.WithCancel(context.Background())
	s := &Server{ln: ln, end: end, done: make(chan error, 1), http: &http.Server{
		Handler:           a,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30*time.Second + a.opts.MaxWait,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          discard(),
	}}
	go func() {
		s.done <- s.http.Serve(&bounded{Listener: ln, slots: make(chan struct{}, maxConns), closed: ctx.Done()})
	}()
	return s, nil
}

// Addr is host:port.
func (s *Server) Addr() string { return s.ln.Addr().String() }

// URL is the API's root, without a slash at its end.
func (s *Server) URL() string { return "http://" + s.Addr() }

// closeGrace is how long a request under way may take to be answered.
const closeGrace = 100 * time.Millisecond

// Close stops listening, ends every wait, and returns when the requests under
// way are answered or have had a moment for it. It may be called more than once.
func (s *Server) Close() error {
	s.once.Do(func() {
		s.end()
		ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
		defer cancel()
		if s.err = s.http.Shutdown(ctx); errors.Is(s.err, context.DeadlineExceeded) {
			s.err = s.http.Close()
		}
		if err := <-s.done; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.err = errors.Join(s.err, err)
		}
	})
	return s.err
}

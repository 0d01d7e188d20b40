package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// errGaveUp is why a gateway answers before its upstream.
var errGaveUp = errors.New("the gateway has given up")

// A forwarding is one request on its way from a gateway to the upstream. It
// outlives a gateway that gives up, until end.
type forwarding struct {
	g    *gateway
	body []byte
	life context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup
}

func newForwarding(x *Exchange, g *gateway, body []byte) *forwarding {
	f := &forwarding{g: g, body: body}
	f.life, f.stop = context.WithCancel(x.c.s.ctx)
	return f
}

// end hangs up on an upstream that has not answered.
func (f *forwarding) end() {
	f.stop()
	f.wg.Wait()
}

// RoundTrip waits for the response, but no longer than the gateway does.
func (f *forwarding) RoundTrip(r *http.Request) (*http.Response, error) {
	type result struct {
		resp *http.Response
		err  error
	}
	done, gaveUp := make(chan result, 1), make(chan error, 1)
	f.wg.Go(func() {
		resp, err := f.fetch(r)
		done <- result{resp, err}
	})
	if wait := f.g.opts.GiveUp; wait != nil {
		f.wg.Go(func() { gaveUp <- wait(f.life) })
	}
	for {
		select {
		case got := <-done:
			return got.resp, got.err
		case err := <-gaveUp:
			if err == nil {
				return nil, errGaveUp
			} // else its wait has ended, and the response's will
		}
	}
}

// fetch sends the request and returns the whole response. The body is one that
// the transport cannot take again.
func (f *forwarding) fetch(r *http.Request) (*http.Response, error) {
	out := r.Clone(f.life)
	out.Body, out.GetBody = nil, nil
	if out.ContentLength = int64(len(f.body)); out.ContentLength > 0 {
		out.Body = io.NopCloser(bytes.NewReader(f.body))
	}
	resp, err := f.g.transport.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	const most = 64 << 20
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return nil, err
	}
	if len(body) > most {
		return nil, fmt.Errorf("response exceeds %d bytes", most)
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// whyNot is the status that a gateway answers, and the error's name in
// Proxy-Status (RFC 9209 section 2.3). The 503 is no recommendation of the RFC
// but what Envoy answers then: a status that looks like "no work was done"
// where nobody knows.
func whyNot(err error) (status int, name string) {
	dial, _ := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, errGaveUp):
		return http.StatusGatewayTimeout, "http_response_timeout"
	case dial != nil && dial.Op == "dial" && refusedDial(err):
		return http.StatusBadGateway, "connection_refused"
	case dial != nil && dial.Op == "dial":
		return http.StatusBadGateway, "destination_unavailable"
	case departure(err) != "":
		return http.StatusServiceUnavailable, "connection_terminated"
	}
	return http.StatusBadGateway, "http_protocol_error"
}

// refusedDial tells a connection that was refused from one that could not be
// made. 10061 is WSAECONNREFUSED, no errno anywhere else.
func refusedDial(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.Errno(10061))
}

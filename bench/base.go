package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
)

// stub answers at once. It fires the hooks of a connection that had carried a
// request before, if there are any, and reads the body.
type stub struct{}

func (stub) RoundTrip(r *http.Request) (*http.Response, error) {
	h := httptrace.ContextClientTrace(r.Context())
	if h != nil {
		h.GetConn("lab:80")
		h.GotConn(httptrace.GotConnInfo{Reused: true})
		h.WroteHeaders()
	}
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
		if err := r.Body.Close(); err != nil {
			return nil, err
		}
	}
	if h != nil {
		h.WroteRequest(httptrace.WroteRequestInfo{})
		h.GotFirstResponseByte()
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: r,
	}, nil
}

// newServer answers every request on loopback, once it has read its body.
func newServer() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return // the client has gone
		}
		_, _ = io.WriteString(w, "done\n") // if it has not
	}))
}

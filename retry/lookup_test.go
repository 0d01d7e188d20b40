package retry_test

import (
	"context"
	"net"
	"net/http"
)

// lookupError is the error of a name that does not exist.
func lookupError() error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "lab.invalid", IsNotFound: true}}
}

// refusing is a dialer that is always refused.
func refusing(context.Context, string, string) (net.Conn, error) { return nil, refusedDial() }

// failing is a base that has no network.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

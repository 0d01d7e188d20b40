package classifier_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

const target = "http://127.0.0.1:1/charge"

func op(name string, err error) error {
	return &net.OpError{Op: name, Net: "tcp", Err: err}
}

func sys(op, call string, errno syscall.Errno) error {
	return &net.OpError{Op: op, Net: "tcp", Err: os.NewSyscallError(call, errno)}
}

type timer struct{}

func (timer) Error() string   { return "some timer" }
func (timer) Timeout() bool   { return true }
func (timer) Temporary() bool { return true }

// empty wraps nothing.
type empty struct{ timer }

func (empty) Unwrap() error { return nil }

// errorRow is an error value, and what it means without a trace.
type errorRow struct {
	err       error
	code      classifier.Code
	call      classifier.Syscall
	phase     classifier.Phase
	processed classifier.Processed
	want      string // the cells
	why       string
}

var errorRows = []errorRow{
	// Resolving.
	{op("dial", &net.DNSError{Err: "no such host", IsNotFound: true}), "ENOTFOUND", "getaddrinfo", "resolve", "never", "nnn", "no such name"},
	{&net.DNSError{Err: "no such host", IsNotFound: true, IsTemporary: true}, "ENOTFOUND", "getaddrinfo", "resolve", "never", "nnn", "not found is asked first"},
	{op("dial", &net.DNSError{Err: "server misbehaving", IsTemporary: true}), "EAI_AGAIN", "getaddrinfo", "resolve", "never", "yyy", "SERVFAIL"},
	{op("dial", &net.DNSError{Err: "server misbehaving"}), "EAI_FAIL", "getaddrinfo", "resolve", "never", "yyy", "REFUSED"},
	{op("dial", &net.DNSError{Err: "i/o timeout", IsTimeout: true, IsTemporary: true}), "TIMEOUT", "getaddrinfo", "resolve", "never", "yyy", "no answer"},
	{op("dial", &net.DNSError{Err: "read udp 127.0.0.1:9->127.0.0.1:53: read: connection refused", IsTemporary: true}), "EAI_AGAIN", "getaddrinfo", "resolve", "never", "yyy", "the resolver's port is closed, not the server's"},
	{op("dial", &net.DNSError{Err: "dial udp 127.0.0.1:53: socket: too many open files", IsTemporary: true}), "EMFILE", "getaddrinfo", "resolve", "never", "yyy", "no descriptor for the resolver's socket"},

	// Connecting.
	{sys("dial", "connect", syscall.ECONNREFUSED), "ECONNREFUSED", "connect", "connect", "never", "yyy", "nobody listens"},
	{sys("dial", "connect", syscall.ECONNRESET), "ECONNRESET", "connect", "connect", "never", "yyy", "a reset while connecting"},
	{sys("dial", "connect", syscall.ETIMEDOUT), "ETIMEDOUT", "connect", "connect", "never", "yyy", "the kernel gave up"},
	{sys("dial", "connect", syscall.EHOSTUNREACH), "EHOSTUNREACH", "connect", "connect", "never", "yyy", "no route"},
	{sys("dial", "connect", syscall.ENETUNREACH), "ENETUNREACH", "connect", "connect", "never", "yyy", "no route"},
	{sys("dial", "connect", syscall.EHOSTDOWN), "EHOSTDOWN", "connect", "connect", "never", "yyy", "ARP failed"},
	{sys("dial", "connect", syscall.ENETDOWN), "ENETDOWN", "connect", "connect", "never", "yyy", "interface down"},
	{sys("dial", "connect", syscall.EADDRNOTAVAIL), "EADDRNOTAVAIL", "connect", "connect", "never", "yyy", "our ports are used up"},
	{sys("dial", "connect", syscall.EACCES), "EACCES", "connect", "connect", "never", "nnn", "forbidden here"},
	{sys("dial", "connect", syscall.EPERM), "EPERM", "connect", "connect", "never", "nnn", "forbidden here"},
	{sys("dial", "connect", syscall.EINVAL), "EINVAL", "connect", "connect", "never", "nnn", "a blackhole route"},
	{sys("dial", "bind", syscall.EADDRINUSE), "EADDRINUSE", "socket", "connect", "never", "nnn", "the local address is taken"},
	{sys("dial", "socket", syscall.EMFILE), "EMFILE", "socket", "connect", "never", "yyy", "no descriptor left"},
	{sys("dial", "socket", syscall.ENFILE), "ENFILE", "socket", "connect", "never", "yyy", "no descriptor left on the machine"},
	{sys("dial", "socket", syscall.ENOBUFS), "ENOBUFS", "socket", "connect", "never", "yyy", "no buffer"},
	{sys("dial", "socket", syscall.EAFNOSUPPORT), "EAFNOSUPPORT", "socket", "connect", "never", "nnn", "no such address family"},
	{op("dial", os.ErrDeadlineExceeded), "TIMEOUT", "", "connect", "never", "yyy", "the dialer's timer"},
	{op("dial", timer{}), "TIMEOUT", "", "connect", "never", "yyy", "the dialer's timer, its other form"},
	{op("dial", &net.AddrError{Err: "missing port in address", Addr: "x"}), "INVALID_REQUEST", "", "connect", "never", "nnn", "no address"},
	{op("dial", errors.New("odd")), "UNKNOWN", "", "connect", "never", "yyy", "not recognised, but nothing was sent"},
	{op("proxyconnect", sys("dial", "connect", syscall.ECONNREFUSED)), "ECONNREFUSED", "connect", "connect", "never", "yyy", "the proxy does not listen"},
	{op("proxyconnect", io.EOF), "EOF", "", "proxy", "never", "yyy", "the proxy hung up"},
	{op("socks connect", errors.New("unknown error host unreachable")), "PROXY", "", "proxy", "never", "yyy", "the SOCKS proxy refused"},

	// The same errnos where the request may have been sent.
	{sys("read", "read", syscall.ECONNREFUSED), "ECONNREFUSED", "read", "unknown", "maybe", "yny", "an established connection can say refused"},
	{sys("read", "read", syscall.ECONNRESET), "ECONNRESET", "read", "unknown", "maybe", "yny", "a reset"},
	{sys("read", "read", syscall.ETIMEDOUT), "ETIMEDOUT", "read", "unknown", "maybe", "yny", "keep-alive gave up"},
	{sys("read", "read", syscall.EHOSTUNREACH), "EHOSTUNREACH", "read", "unknown", "maybe", "yny", "a soft error"},
	{sys("read", "read", syscall.ECONNABORTED), "ECONNABORTED", "read", "unknown", "maybe", "yny", "the kernel closed it"},
	{sys("read", "read", syscall.ENETRESET), "ENETRESET", "read", "unknown", "maybe", "yny", "keep-alive on Windows"},
	{sys("write", "write", syscall.ECONNRESET), "ECONNRESET", "write", "write", "maybe", "yny", "a reset"},
	{sys("write", "write", syscall.EPIPE), "EPIPE", "write", "write", "maybe", "yny", "closed by the peer"},
	{op("readfrom", sys("write", "write", syscall.EPIPE)), "EPIPE", "write", "write", "maybe", "yny", "in a long body"},
	{sys("write", "write", syscall.ENOBUFS), "ENOBUFS", "write", "write", "maybe", "yny", "no buffer"},
	{sys("write", "write", syscall.EACCES), "EACCES", "write", "write", "maybe", "nnn", "will not pass, but may have worked"},
	{op("write", syscall.EPIPE), "EPIPE", "write", "write", "maybe", "yny", "an errno without its call"},
	{op("write", net.ErrClosed), "CONN_CLOSED", "", "write", "maybe", "yny", "closed while we sent"},
	{op("read", os.ErrDeadlineExceeded), "TIMEOUT", "", "unknown", "maybe", "yny", "a read deadline"},
	{syscall.ECONNREFUSED, "ECONNREFUSED", "", "unknown", "maybe", "yny", "an errno alone is not classifiable"},
	{syscall.Errno(9999), "UNKNOWN", "", "unknown", "maybe", "nnn", "no such errno"},

	// Ends and timers.
	{io.EOF, "EOF", "", "unknown", "maybe", "yny", "may be a handshake's, may be an answer's"},
	{io.ErrUnexpectedEOF, "TRUNCATED", "", "unknown", "maybe", "yny", "cut"},
	{io.ErrClosedPipe, "CONN_CLOSED", "", "unknown", "maybe", "yny", "an in-memory connection"},
	{context.DeadlineExceeded, "TIMEOUT", "", "unknown", "maybe", "yny", "any wait"},
	{timer{}, "TIMEOUT", "", "unknown", "maybe", "yny", "any timer"},
	{empty{}, "TIMEOUT", "", "unknown", "maybe", "yny", "any timer, that could have wrapped something"},
	{context.Canceled, "CANCELED", "", "unknown", "maybe", "nnn", "by the caller"},
	{op("dial", fmt.Errorf("operation was canceled: %w", context.Canceled)), "CANCELED", "", "connect", "never", "nnn", "by the caller, while dialling"},
	{&net.DNSError{Err: "operation was canceled", UnwrapErr: context.Canceled}, "CANCELED", "getaddrinfo", "resolve", "never", "nnn", "by the caller, while resolving"},

	// TLS.
	{&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, "TLS_CERT", "", "tls", "never", "nnn", "self-signed"},
	{x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x"}, "TLS_CERT", "", "tls", "never", "nnn", "wrong host"},
	{x509.CertificateInvalidError{Reason: x509.Expired}, "TLS_CERT", "", "tls", "never", "nnn", "expired"},
	{tls.AlertError(70), "TLS_ALERT", "", "tls", "never", "nnn", "protocol version, refused in the handshake"},
	{op("remote error", tls.AlertError(70)), "TLS_ALERT", "", "tls", "never", "nnn", "the same over TCP"},
	{op("remote error", tls.AlertError(116)), "TLS_ALERT", "", "unknown", "never", "nnn", "certificate required: after our side of the handshake, but before any request"},
	{op("remote error", tls.AlertError(80)), "TLS_ALERT", "", "unknown", "maybe", "nnn", "an internal error can come at any time"},
	{op("local error", tls.AlertError(20)), "TLS_ALERT", "", "unknown", "maybe", "nnn", "a bad record that we found"},
	{http.ErrSchemeMismatch, "NOT_TLS", "", "tls", "never", "nnn", "the server answered the hello in plain HTTP"},
	{tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake", Conn: &net.TCPConn{}}, "NOT_TLS", "", "tls", "never", "nnn", "the server answered the hello with something else"},
	{tls.RecordHeaderError{Msg: "oversized record"}, "NOT_TLS", "", "unknown", "maybe", "nnn", "may come later"},

	// Answers that cannot be read.
	{textproto.ProtocolError("malformed MIME header line: x"), "MALFORMED", "", "read-head", "yes", "nnn", "the status line was good"},
	{gzip.ErrChecksum, "MALFORMED", "", "read-body", "yes", "nnn", "the head was good"},
	{http.ErrBodyReadAfterClose, "BODY_CONSUMED", "", "unknown", "maybe", "nnn", "the request's body is gone"},
	{&url.Error{Op: "parse", URL: ":", Err: errors.New("missing protocol scheme")}, "INVALID_REQUEST", "", "prepare", "never", "nnn", "no URL"},
	{errors.New("something else"), "UNKNOWN", "", "unknown", "maybe", "nnn", "nothing is guessed"},
	{errors.New("connection refused"), "UNKNOWN", "", "unknown", "maybe", "nnn", "a text is no errno"},
	{errors.New("wrapped: stream error: stream ID 1; REFUSED_STREAM; received from peer"), "UNKNOWN", "", "unknown", "maybe", "nnn", "a text is matched from its beginning"},
}

// barePOST is a request that net/http never resends by itself.
var barePOST = &classifier.SentRequest{Method: "POST", URL: target, Body: true, Rewindable: true}

func TestErrorsMeanTheSameBareWrappedAndInsideURLError(t *testing.T) {
	for _, row := range errorRows {
		wrapped := fmt.Errorf("charging: %w", row.err)
		through := &url.Error{Op: "Post", URL: target, Err: row.err}
		for _, form := range []struct {
			name string
			err  error
			ev   classifier.Evidence
		}{
			{"bare", row.err, classifier.Evidence{}},
			{"wrapped", wrapped, classifier.Evidence{}},
			{"joined", errors.Join(errors.New("charging"), row.err), classifier.Evidence{}},
			{"in *url.Error", through, classifier.Evidence{Request: barePOST}},
			{"in *url.Error, wrapped", fmt.Errorf("charging: %w", through), classifier.Evidence{Request: barePOST}},
		} {
			f := classifier.FromError(form.err, form.ev)
			if f.Code != row.code || f.Syscall != row.call || f.Phase != row.phase || f.Processed != row.processed {
				t.Errorf("FromError(%v), %s = %s %s %s %s, want %s %s %s %s: %s", row.err, form.name,
					f.Code, f.Syscall, f.Phase, f.Processed, row.code, row.call, row.phase, row.processed, row.why)
			}
			if got := cells(f, classifier.Policy{}); got != row.want {
				t.Errorf("FromError(%v), %s: cells %s, want %s: %s", row.err, form.name, got, row.want, row.why)
			}
		}
	}
}

func TestWithoutTraceAndRequestAClientsErrorNeverProvesThatNothingWasSent(t *testing.T) {
	for _, row := range errorRows {
		var parse *url.Error
		if errors.As(row.err, &parse) {
			continue // there never was a request
		}
		f := classifier.FromError(&url.Error{Op: "Post", URL: target, Err: row.err}, classifier.Evidence{})
		if f.Processed == classifier.Never {
			t.Errorf("FromError(Post %v) = never: a redirect or a replay may have come before", row.err)
		}
	}
}

func TestARequestTellsWhetherNetHTTPMayHaveSentItBefore(t *testing.T) {
	refused := sys("dial", "connect", syscall.ECONNREFUSED)
	rewind := func(method string) classifier.SentRequest {
		return classifier.SentRequest{Method: method, URL: target, Rewindable: true}
	}
	key, lost, http2 := rewind("POST"), rewind("POST"), rewind("POST")
	key.Key, http2.HTTP2 = true, true
	lost.Key, lost.HTTP2, lost.Body, lost.Rewindable = true, true, true, false
	secret := rewind("POST")
	secret.URL = "http://me:secret@127.0.0.1:1/charge"
	for _, row := range []struct {
		request classifier.SentRequest
		url     string
		want    classifier.Processed
		why     string
	}{
		{rewind("POST"), target, "never", "a bare POST is not resent over HTTP/1"},
		{rewind("PUT"), target, "never", "nor is PUT, idempotent or not"},
		{rewind("DELETE"), target, "never", "nor DELETE"},
		{rewind("QUERY"), target, "never", "nor QUERY"},
		{rewind("GET"), target, "maybe", "GET is"},
		{rewind(""), target, "maybe", "no method is GET"},
		{rewind("HEAD"), target, "maybe", "HEAD is"},
		{rewind("OPTIONS"), target, "maybe", "OPTIONS is"},
		{rewind("TRACE"), target, "maybe", "TRACE is"},
		{key, target, "maybe", "a keyed POST is"},
		{lost, target, "never", "but not if its body cannot be taken again"},
		{http2, target, "maybe", "over HTTP/2 everything is"},
		{rewind("POST"), "http://127.0.0.1:1/done", "maybe", "another URL: a redirect was followed, so there was an answer"},
		{secret, "http://me:***@127.0.0.1:1/charge", "never", "the same URL with the password masked"},
		{secret, "http://you:***@127.0.0.1:1/charge", "maybe", "another URL"},
	} {
		f := classifier.FromError(&url.Error{Op: "Post", URL: row.url, Err: refused}, classifier.Evidence{Request: &row.request})
		if f.Processed != row.want || f.Code != "ECONNREFUSED" || f.Phase != classifier.PhaseConnect {
			t.Errorf("refused, %+v, error's URL %s: %+v, want processed %s: %s", row.request, row.url, f, row.want, row.why)
		}
	}
}

func TestWhatNetHTTPRefusedToSendItDidNotSendBefore(t *testing.T) {
	get := &classifier.SentRequest{Method: "GET", URL: target, Rewindable: true, HTTP2: true}
	scheme := errors.New(`unsupported protocol scheme "gopher"`)
	for _, row := range []struct {
		err  error
		ev   classifier.Evidence
		want classifier.Processed
		why  string
	}{
		{scheme, classifier.Evidence{Request: get}, "never", "it was looked at before the first connection"},
		{scheme, classifier.Evidence{}, "maybe", "whose URL it is, a redirect's or ours, nobody knows"},
		{errors.New("http2: Transport: cannot retry err [stream error: stream ID 1; REFUSED_STREAM; received from peer]" +
			" after Request.Body was written; define Request.GetBody to avoid this error"), classifier.Evidence{}, "never",
			"a body that cannot be sent again was not"},
		{errors.New("stream error: stream ID 1; REFUSED_STREAM; received from peer"), classifier.Evidence{}, "maybe",
			"this one may have been sent before, and refused only then"},
	} {
		f := classifier.FromError(&url.Error{Op: "Get", URL: target, Err: row.err}, row.ev)
		if f.Processed != row.want {
			t.Errorf("FromError(Get %v) = %+v, want %s: %s", row.err, f, row.want, row.why)
		}
	}
}

func TestTheContextIsAskedBeforeTheError(t *testing.T) {
	cause := errors.New("the user closed the window")
	for _, row := range []struct {
		err      error
		attempt  error
		caller   error
		code     classifier.Code
		want     classifier.Verdict // of a GET
		sentence string
	}{
		{cause, context.Canceled, context.Canceled, classifier.Canceled, classifier.Stop, "a cause hides the cancellation"},
		{syscall.ECONNRESET, context.Canceled, context.Canceled, classifier.Canceled, classifier.Stop, "whatever the error says"},
		{cause, context.Canceled, nil, classifier.Canceled, classifier.Stop, "of the attempt"},
		{cause, errors.New("a context of its own kind"), nil, classifier.Canceled, classifier.Stop, "ended, and not by time"},
		{cause, context.DeadlineExceeded, nil, classifier.Timeout, classifier.Retry, "a deadline with a cause"},
		{net.ErrClosed, context.DeadlineExceeded, nil, classifier.Timeout, classifier.Retry, "we closed it when time was up"},
		{context.Canceled, context.DeadlineExceeded, nil, classifier.Timeout, classifier.Retry, "cancelled because time was up"},
		{sys("read", "read", syscall.ECONNRESET), context.DeadlineExceeded, nil, "ECONNRESET", classifier.Retry, "a reset just before time was up"},
		{cause, nil, context.DeadlineExceeded, classifier.Timeout, classifier.Retry, "the caller's time: the engine stops, not the table"},
		{cause, nil, nil, classifier.Unknown, classifier.Fail, "neither ended"},
	} {
		ev := classifier.Evidence{ContextErr: row.attempt, CallerErr: row.caller}
		f := classifier.FromError(row.err, ev)
		d := classifier.Decide(f, get, classifier.Policy{})
		if f.Code != row.code || d.Verdict != row.want {
			t.Errorf("FromError(%v), attempt %v, caller %v = %s, %s, want %s, %s: %s",
				row.err, row.attempt, row.caller, f.Code, d.Verdict, row.code, row.want, row.sentence)
		}
	}
}

func TestJoinedErrorsProveNothingTogether(t *testing.T) {
	refused, reset := sys("dial", "connect", syscall.ECONNREFUSED), sys("read", "read", syscall.ECONNRESET)
	for _, err := range []error{
		errors.Join(refused, reset), errors.Join(reset, refused), fmt.Errorf("%w, after %w", refused, reset),
		errors.Join(http.ErrSchemeMismatch, reset), errors.Join(tls.AlertError(116), reset),
	} {
		if f := classifier.FromError(err, classifier.Evidence{}); f.Processed != classifier.Maybe {
			t.Errorf("FromError(%q) = %+v, want maybe: one of the two may have been sent", err, f)
		}
	}
}

type endless struct{}

func (e endless) Error() string { return "endless" }
func (e endless) Unwrap() error { return e }

func TestAnEndlessChainEnds(t *testing.T) {
	for _, err := range []error{endless{}, errors.Join(endless{}, endless{})} {
		if f := classifier.FromError(err, classifier.Evidence{}); f.Code != classifier.Unknown {
			t.Errorf("FromError(endless) = %+v", f)
		}
	}
}

func TestNoErrorIsNoFailure(t *testing.T) {
	if f := classifier.FromError(nil, classifier.Evidence{Traced: true}); f != (classifier.Failure{}) {
		t.Errorf("FromError(nil) = %+v, want the zero Failure", f)
	}
	d := classifier.Decide(classifier.Failure{}, post, classifier.Policy{})
	if d.Verdict != classifier.Ambiguous {
		t.Errorf("Decide(Failure{}) = %+v: what is not known is not sent again", d)
	}
}

// A sentence in a response must not be able to pose as one of net/http's.
func TestWhatAServerSendsCannotPoseAsAGuarantee(t *testing.T) {
	for _, line := range []string{
		"stream error: stream ID 1; REFUSED_STREAM; received from peer",
		"http2: client conn not usable",
		"unsupported protocol scheme \"x\"",
	} {
		_, err := http.ReadResponse(bufio.NewReader(strings.NewReader(line+"\r\n\r\n")), nil)
		if err == nil {
			t.Fatalf("ReadResponse(%q) is no error", line)
		}
		if f := classifier.FromError(err, classifier.Evidence{}); f.Processed == classifier.Never {
			t.Errorf("FromError(%v) = %+v", err, f)
		}
	}
}

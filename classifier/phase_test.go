package classifier_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
)

// traced is the evidence of one acquisition that got as far as the changes say.
func traced(changes ...func(*classifier.Evidence)) classifier.Evidence {
	ev := classifier.Evidence{Traced: true, Acquisitions: 1}
	for _, change := range changes {
		change(&ev)
	}
	return ev
}

func connecting(e *classifier.Evidence) { e.DNSStarted, e.DNSDone, e.ConnectStarted = true, true, true }
func connected(e *classifier.Evidence)  { connecting(e); e.ConnectDone = true }
func got(e *classifier.Evidence)        { connected(e); e.GotConn, e.Counted = true, true }
func head(e *classifier.Evidence)       { got(e); e.WroteHead, e.BytesOut = true, 100 }
func sent(e *classifier.Evidence)       { head(e); e.WroteRequest, e.BytesOut = true, 200 }
func overH2(e *classifier.Evidence)     { e.HTTP2 = true }
func timedOut(e *classifier.Evidence)   { e.ContextErr = context.DeadlineExceeded }

func TestATraceTellsThePhase(t *testing.T) {
	timeout := context.DeadlineExceeded
	reset := sys("read", "read", syscall.ECONNRESET)
	pipe := sys("write", "write", syscall.EPIPE)
	for _, row := range []struct {
		err       error
		ev        classifier.Evidence
		code      classifier.Code
		phase     classifier.Phase
		processed classifier.Processed
		why       string
	}{
		// One text, eight waits.
		{timeout, classifier.Evidence{Traced: true, EndedBefore: true}, "TIMEOUT", "prepare", "never", "no connection was asked for"},
		{timeout, traced(), "TIMEOUT", "pool", "never", "asked for a connection, nothing else began"},
		{timeout, traced(func(e *classifier.Evidence) { e.DNSStarted = true }), "TIMEOUT", "resolve", "never", "asked the resolver"},
		{timeout, traced(connecting), "TIMEOUT", "connect", "never", "dialled"},
		{timeout, traced(connected), "TIMEOUT", "connect", "never", "the dial was over, but not ours yet"},
		{timeout, traced(connected, func(e *classifier.Evidence) { e.TLSExpected = true }), "TIMEOUT", "tls", "never", "the handshake is next"},
		{timeout, traced(connected, func(e *classifier.Evidence) { e.TLSExpected, e.TLSStarted = true, true }), "TIMEOUT", "tls", "never", "in the handshake; not net/http's own timer"},
		{timeout, traced(connected, func(e *classifier.Evidence) { e.ProxyConnect, e.TLSExpected = true, true }), "TIMEOUT", "proxy", "never", "the proxy does not answer CONNECT"},
		{timeout, traced(connected, func(e *classifier.Evidence) { e.ProxyConnect, e.TLSExpected, e.ProxyStatus = true, true, 200 }), "TIMEOUT", "tls", "never", "the tunnel stands"},
		{timeout, traced(got), "TIMEOUT", "write", "never", "a connection, and the kernel took nothing"},
		{timeout, traced(sent), "TIMEOUT", "await", "maybe", "sent"},
		{timeout, traced(sent, func(e *classifier.Evidence) { e.Answered = true }), "TIMEOUT", "read-body", "yes", "answered"},
		{errors.New("cause"), traced(sent, timedOut), "TIMEOUT", "await", "maybe", "a deadline with a cause"},

		// What was written.
		{pipe, traced(got, func(e *classifier.Evidence) { e.WroteHead, e.WroteRequest = true, true }), "EPIPE", "write", "never", "the hooks fired, but the kernel took nothing"},
		{pipe, traced(got, func(e *classifier.Evidence) { e.Counted, e.WroteHead, e.WroteRequest = false, true, true }), "EPIPE", "await", "maybe", "no counter: nothing is proved"},
		{pipe, traced(got, func(e *classifier.Evidence) {
			e.Counted, e.TLSExpected, e.WroteHead, e.WroteRequest = false, true, true, true
		}), "EPIPE", "await", "maybe", "no counter under TLS either"},
		{http.ErrSchemeMismatch, traced(sent), "NOT_TLS", "await", "maybe", "what was counted outweighs what the error's type says"},
		{pipe, traced(got, func(e *classifier.Evidence) { e.BytesOut = 4096 }), "EPIPE", "write", "never", "half a head cannot be acted on"},
		{pipe, traced(got, func(e *classifier.Evidence) { e.Counted = false }), "EPIPE", "write", "maybe", "uncounted and plain, it may be HTTP/2, whose hooks come late"},
		{pipe, traced(got, func(e *classifier.Evidence) { e.Counted, e.TLSExpected = false, true }), "EPIPE", "write", "never", "uncounted, but TLS tells the protocol"},
		{pipe, traced(head), "EPIPE", "write", "maybe", "a handler runs on the head alone"},
		{pipe, traced(sent, func(e *classifier.Evidence) { e.BodyRead, e.BodySize = 10, 20 }), "EPIPE", "write", "maybe", "half a body"},
		{reset, traced(sent, func(e *classifier.Evidence) { e.BodyRead, e.BodySize = 20, -1 }), "ECONNRESET", "await", "maybe", "a body of unknown size, all sent"},
		{reset, traced(head, func(e *classifier.Evidence) { e.Wait100, e.BodySize = true, 20 }), "ECONNRESET", "await", "maybe", "held back for a 100: the head was sent"},
		{reset, traced(head, func(e *classifier.Evidence) { e.Wait100, e.Got100, e.BodySize = true, true, 20 }), "ECONNRESET", "write", "maybe", "asked for the body"},
		{errors.New("disk"), traced(head, func(e *classifier.Evidence) { e.BodyErr = true }), "INVALID_REQUEST", "write", "maybe", "the body's own Reader"},
		{syscall.ECONNRESET, traced(got, func(e *classifier.Evidence) { e.BodyErr = true }), "INVALID_REQUEST", "write", "never", "the body's own Reader, whatever it says"},

		// What came back.
		{io.EOF, traced(sent), "EOF", "await", "maybe", "hung up without a word"},
		{io.EOF, traced(connected, func(e *classifier.Evidence) { e.TLSExpected, e.TLSStarted = true, true }), "TLS_EOF", "tls", "never", "the same text, in the handshake"},
		{io.ErrUnexpectedEOF, traced(sent, func(e *classifier.Evidence) { e.FirstByte = true }), "TRUNCATED", "read-head", "maybe", "cut in the head"},
		{io.ErrUnexpectedEOF, traced(sent, overH2), "EOF", "await", "maybe", "how HTTP/2 says that the connection was lost"},
		{io.ErrUnexpectedEOF, traced(sent, func(e *classifier.Evidence) { e.FirstByte, e.Answered = true, true }), "TRUNCATED", "read-body", "yes", "cut in the body"},
		{io.EOF, classifier.Evidence{Answered: true}, "TRUNCATED", "read-body", "yes", "answered, without a trace"},
		{reset, traced(sent, func(e *classifier.Evidence) { e.FirstByte = true }), "ECONNRESET", "read-head", "maybe", "an early answer, lost"},
		{op("remote error", tls.AlertError(116)), traced(sent), "TLS_ALERT", "await", "never", "the peer refused our certificate after our Finished"},
		{op("remote error", tls.AlertError(116)), traced(sent, func(e *classifier.Evidence) { e.FirstByte = true }), "TLS_ALERT", "read-head", "maybe", "it had begun to answer"},

		// HTTP/2: the connection is shared, and the hooks come late.
		{timeout, traced(got, overH2, timedOut), "TIMEOUT", "await", "maybe", "zero bytes prove nothing while the writer may still run"},
		{reset, traced(sent, overH2), "ECONNRESET", "await", "maybe", "lost"},
		{reset, traced(head, overH2), "ECONNRESET", "write", "maybe", "half sent"},
		{errors.New("stream error: stream ID 1; REFUSED_STREAM; received from peer"), traced(sent, overH2), "H2_REFUSED_STREAM", "await", "never", "the protocol's promise"},
		{errors.New("stream error: stream ID 1; REFUSED_STREAM; received from peer"), traced(sent), "H2_REFUSED_STREAM", "await", "never", "over plain TCP the error tells the protocol"},
		{errors.New("stream error: stream ID 1; REFUSED_STREAM"), traced(sent, overH2), "H2_REFUSED_STREAM", "await", "maybe", "not said by the peer"},
		{errors.New("stream error: stream ID 3; PROTOCOL_ERROR; received from peer"), traced(sent, overH2), "H2_PROTOCOL_ERROR", "await", "maybe", "promises nothing"},
		{errors.New("stream error: stream ID 3; unknown error code 0x99; received from peer"), traced(sent, overH2), "H2_INTERNAL_ERROR", "await", "maybe", "an unknown code is none of ours"},
		{errors.New("http2: Transport received GOAWAY from server ErrCode:ENHANCE_YOUR_CALM"), traced(sent, overH2), "H2_GOAWAY", "await", "never", "above the last stream"},
		{errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=1, ErrCode=NO_ERROR, debug=\"\""), traced(sent, overH2), "H2_GOAWAY", "await", "maybe", "at or below it"},

		// Exposure: what an earlier connection may have delivered.
		{sys("dial", "connect", syscall.ECONNREFUSED), traced(connecting, func(e *classifier.Evidence) { e.Acquisitions, e.Exposed = 2, true }), "ECONNREFUSED", "connect", "maybe", "net/http had sent it before"},
		{sys("dial", "connect", syscall.ECONNREFUSED), traced(connecting, func(e *classifier.Evidence) { e.Acquisitions, e.ExposedYes = 2, true }), "ECONNREFUSED", "connect", "yes", "it was redirected, so it was answered"},
		{sys("dial", "connect", syscall.ECONNREFUSED), traced(connecting, func(e *classifier.Evidence) { e.Acquisitions = 2 }), "ECONNREFUSED", "connect", "never", "the earlier connection took nothing"},

		// A dial of another request, an attempt without hooks. A transport that
		// calls none may have sent the request all the same.
		{sys("dial", "connect", syscall.ECONNREFUSED), traced(), "ECONNREFUSED", "connect", "never", "somebody else's dial"},
		{&net.DNSError{IsNotFound: true}, traced(), "ENOTFOUND", "resolve", "never", "somebody else's lookup"},
		{reset, classifier.Evidence{Traced: true}, "ECONNRESET", "unknown", "maybe", "a transport that calls no hooks"},
		{io.EOF, classifier.Evidence{Traced: true}, "EOF", "unknown", "maybe", "a transport that calls no hooks"},
		{timeout, classifier.Evidence{Traced: true}, "TIMEOUT", "unknown", "maybe", "a transport that calls no hooks"},
		{errors.New("cause"), classifier.Evidence{Traced: true, ContextErr: timeout}, "TIMEOUT", "unknown", "maybe", "a transport that calls no hooks"},
		{context.Canceled, classifier.Evidence{Traced: true, CallerErr: context.Canceled}, "CANCELED", "unknown", "maybe", "a transport that calls no hooks"},
		{context.Canceled, classifier.Evidence{Traced: true, EndedBefore: true}, "CANCELED", "prepare", "never", "cancelled before it was sent"},
		{errors.New("odd"), classifier.Evidence{Traced: true}, "UNKNOWN", "unknown", "maybe", "a transport that calls no hooks"},
		{http.ErrBodyReadAfterClose, classifier.Evidence{Traced: true}, "BODY_CONSUMED", "unknown", "maybe", "a transport that calls no hooks"},
		{reset, classifier.Evidence{Traced: true, EndedBefore: true}, "ECONNRESET", "unknown", "maybe", "a transport that looks at no context either"},
		{errors.New("net/http: nil Context"), classifier.Evidence{Traced: true}, "INVALID_REQUEST", "prepare", "never", "net/http refused it before it asked for a connection"},
		{errors.Join(sys("dial", "connect", syscall.ECONNREFUSED), reset), classifier.Evidence{Traced: true}, "ECONNREFUSED", "connect", "maybe", "a transport that calls no hooks, and tried twice"},
		{os.ErrDeadlineExceeded, traced(sent), "TIMEOUT", "await", "maybe", "a deadline of the connection"},
	} {
		f := classifier.FromError(row.err, row.ev)
		if f.Code != row.code || f.Phase != row.phase || f.Processed != row.processed {
			t.Errorf("FromError(%v, %+v)\n = %s %s %s, want %s %s %s: %s",
				row.err, row.ev, f.Code, f.Phase, f.Processed, row.code, row.phase, row.processed, row.why)
		}
		if f.Processed == classifier.Never && f.Basis == classifier.Assumed {
			t.Errorf("FromError(%v, %+v): never, assumed: a never needs a ground", row.err, row.ev)
		}
	}
}

func TestAProxysRefusalIsReadFromItsStatus(t *testing.T) {
	for _, row := range []struct {
		status int
		want   string
		why    string
	}{
		{407, "nnn", "wants credentials"},
		{403, "nnn", "refuses"},
		{502, "yyy", "could not reach the target"},
		{503, "yyy", "is busy"},
		{429, "yyy", "is busy"},
		{408, "yyy", "lost patience"},
		{302, "yyy", "no tunnel, for a reason of its own"},
	} {
		ev := traced(connected, func(e *classifier.Evidence) {
			e.ProxyConnect, e.TLSExpected, e.ProxyStatus = true, true, row.status
		})
		f := classifier.FromError(errors.New("whatever it says"), ev)
		if f.Code != classifier.Proxy || f.Phase != classifier.PhaseProxy || f.Status != row.status || f.Processed != classifier.Never {
			t.Errorf("CONNECT answered %d: %+v, want PROXY in phase proxy, never", row.status, f)
		}
		if got := cells(f, classifier.Policy{}); got != row.want {
			t.Errorf("CONNECT answered %d: cells %s, want %s: %s", row.status, got, row.want, row.why)
		}
	}
	untraced := &url.Error{Op: "Post", URL: target, Err: errors.New("Proxy Authentication Required")}
	f := classifier.FromError(untraced, classifier.Evidence{Request: barePOST})
	if f.Code != classifier.Proxy || f.Status != 407 || f.Processed != classifier.Maybe {
		t.Errorf("FromError(%v) = %+v, want PROXY, 407, and maybe: a text proves nothing", untraced, f)
	}
	if f := classifier.FromError(errors.New("Bad Gateway"), classifier.Evidence{}); f.Code != classifier.Unknown {
		t.Errorf("FromError(Bad Gateway) = %+v: not from a client, so not a proxy's", f)
	}
}

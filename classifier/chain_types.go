package classifier

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"reflect"
)

// notSent is the proof of an error that comes before the first byte.
var notSent = outcome{Never, Guaranteed}

// typed names an error by its type or by being a sentinel, and tells whether
// it could.
func (c *chain) typed(err error) bool {
	switch err {
	case io.EOF:
		c.is(EOF, "", outcome{})
	case io.ErrUnexpectedEOF:
		c.is(Truncated, "", outcome{})
	case net.ErrClosed, io.ErrClosedPipe:
		c.is(ConnClosed, "", outcome{})
	case os.ErrDeadlineExceeded, context.DeadlineExceeded:
		c.is(Timeout, "", outcome{})
	case context.Canceled:
		c.canceled = true
	case http.ErrSchemeMismatch:
		c.is(NotTLS, PhaseTLS, notSent)
	case http.ErrBodyReadAfterClose:
		c.is(BodyConsumed, "", outcome{})
	case gzip.ErrHeader, gzip.ErrChecksum:
		c.is(Malformed, PhaseReadBody, outcome{})
	default:
		return c.structured(err)
	}
	return true
}

// structured is typed for what is no sentinel.
func (c *chain) structured(err error) bool {
	switch e := err.(type) {
	case *tls.CertificateVerificationError, x509.UnknownAuthorityError, x509.HostnameError,
		x509.CertificateInvalidError, x509.SystemRootsError, x509.ConstraintViolationError,
		x509.UnhandledCriticalExtension, x509.InsecureAlgorithmError:
		c.is(TLSCert, PhaseTLS, notSent)
	case tls.RecordHeaderError:
		if e.Conn != nil { // set only where the peer's first record was not TLS
			c.is(NotTLS, PhaseTLS, notSent)
		} else {
			c.is(NotTLS, "", outcome{})
		}
	case tls.AlertError:
		c.peerAlert(uint8(e))
	case textproto.ProtocolError: // a bad field line, so the status line was good
		c.is(Malformed, PhaseReadHead, outcome{Yes, Assumed})
	case flate.CorruptInputError:
		c.is(Malformed, PhaseReadBody, outcome{})
	case *net.AddrError, *net.ParseError, net.InvalidAddrError, net.UnknownNetworkError:
		c.is(InvalidRequest, "", outcome{})
	default:
		return c.unexported(err)
	}
	return true
}

// unexported knows two error types of net/http that can only be named by
// reflection. Their texts are those of other errors, or prove nothing.
func (c *chain) unexported(err error) bool {
	t := reflect.TypeOf(err)
	if t.PkgPath() != "net/http" {
		return false
	}
	switch t.Name() {
	case "tlsHandshakeTimeoutError":
		c.is(TLSTimeout, PhaseTLS, notSent)
	case "nothingWrittenError": // wraps the reason
		c.nothingWritten = true
	default:
		return false
	}
	return true
}

// alert notes a TLS alert: "remote error" is the peer's, "local error" ours.
// crypto/tls does not export the alert's type over TCP, only its number's kind.
func (c *chain) alert(e *net.OpError) {
	v := reflect.ValueOf(e.Err)
	if e.Op != "remote error" || v.Kind() != reflect.Uint8 {
		c.is(TLSAlert, "", outcome{})
		return
	}
	c.peerAlert(uint8(v.Uint()))
}

// peerAlert tells the alerts that only a handshake can cause (RFC 8446 section
// 6.2, RFC 5246 section 7.2.2): the peer refused us before it read a request.
// The peer's word on our certificate comes after our side of a TLS 1.3
// handshake is over, so its phase may be any up to await.
func (c *chain) peerAlert(number uint8) {
	switch number {
	case 40, 47, 70, 71, 86, 109, 110, 112, 115, 120:
		// handshake_failure, illegal_parameter, protocol_version,
		// insufficient_security, inappropriate_fallback, missing_extension,
		// unsupported_extension, unrecognized_name, unknown_psk_identity,
		// no_application_protocol
		c.is(TLSAlert, PhaseTLS, outcome{Never, Claimed})
	case 42, 43, 44, 45, 46, 48, 49, 51, 116:
		// bad_certificate, unsupported_certificate, certificate_revoked,
		// certificate_expired, certificate_unknown, unknown_ca, access_denied,
		// decrypt_error, certificate_required
		c.is(TLSAlert, "", outcome{Never, Claimed})
	default:
		c.is(TLSAlert, "", outcome{})
	}
}

// leaf names an error that wraps nothing and has no type we know: by its text,
// or else by its methods.
func (c *chain) leaf(err error) {
	if c.text(err.Error()) {
		return
	}
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		c.is(Timeout, "", outcome{})
	}
	if is, ok := err.(interface{ Is(error) bool }); ok && is.Is(context.Canceled) {
		c.canceled = true
	}
}

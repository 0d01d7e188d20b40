package classifier

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// oneWay is a body that cannot be taken again.
func oneWay(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }

func newRequest(t *testing.T, method, url string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// do sends r and reads the answer to its end; the error is the first of both.
func do(t *testing.T, tr http.RoundTripper, r *http.Request) error {
	t.Helper()
	resp, err := (&http.Client{Transport: tr}).Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func get(t *testing.T, tr http.RoundTripper, url string) error {
	t.Helper()
	return do(t, tr, newRequest(t, "GET", url, nil))
}

// saying gets what a server that says text makes of a GET.
func saying(text string) func(*testing.T) error {
	return func(t *testing.T) error { return get(t, http1Client(t), answering(t, text)) }
}

// chunks is saying for a chunked body.
func chunks(text string) func(*testing.T) error {
	return saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text)
}

// refused gets what net/http says to a request it does not send.
func refused(change func(*http.Request)) func(*testing.T) error {
	return func(t *testing.T) error {
		r := newRequest(t, "POST", "http://127.0.0.1/", nil)
		change(r)
		_, err := http1Client(t).RoundTrip(r)
		return err
	}
}

// unwritable is refused for what net/http finds while it writes.
func unwritable(change func(*http.Request)) func(*testing.T) error {
	return func(t *testing.T) error {
		u := stalling(t)
		return notClosed(t, http1Client(t), func() *http.Request {
			r := newRequest(t, "POST", u, nil)
			change(r)
			return r
		})
	}
}

// notClosed tries again while net/http reports that it closed the connection
// and not why: its reader may see the close before its writer has told.
func notClosed(t *testing.T, tr http.RoundTripper, request func() *http.Request) error {
	t.Helper()
	for {
		if err := do(t, tr, request()); !errors.Is(err, net.ErrClosed) {
			return err
		}
	}
}

// over2 gets what a HTTP/2 server's frames make of a POST whose body cannot be
// taken again, so that net/http does not resend it by itself.
func over2(frames func(stream uint32) []byte, open bool) func(*testing.T) error {
	return func(t *testing.T) error {
		u := http2Server(t, nil, func(c net.Conn, stream uint32) bool {
			c.Write(frames(stream))
			return open
		})
		return do(t, http2Client(t), newRequest(t, "POST", u, oneWay("x")))
	}
}

// makers has a real fault for each text of textTable.
var makers = map[string]func(*testing.T) error{
	`unsupported protocol scheme "`: refused(func(r *http.Request) { r.URL.Scheme = "gopher" }),
	"http: no Host in request URL":  refused(func(r *http.Request) { r.URL.Host = "" }),
	"http: nil Request.URL":         refused(func(r *http.Request) { r.URL = nil }),
	"http: nil Request.Header":      refused(func(r *http.Request) { r.Header = nil }),
	"net/http: invalid method ":     refused(func(r *http.Request) { r.Method = "A B" }),
	"net/http: invalid header ":     refused(func(r *http.Request) { r.Header.Set("X", "\n") }),
	"net/http: invalid trailer ":    refused(func(r *http.Request) { r.Trailer = http.Header{"X": {"\n"}} }),
	"net/http: nil Context": func(*testing.T) error {
		var none context.Context
		_, err := http.NewRequestWithContext(none, "GET", "http://127.0.0.1/", nil)
		return err
	},
	"http: Request.RequestURI can't be set in client requests": func(t *testing.T) error {
		r := newRequest(t, "GET", "http://127.0.0.1/", nil)
		r.RequestURI = "/"
		return do(t, http1Client(t), r)
	},

	"http: Request.ContentLength=": unwritable(func(r *http.Request) { r.ContentLength = 5 }),
	"http: ContentLength=": unwritable(func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(oneWay("too long")), 5
	}),
	"http: invalid Host header": func(t *testing.T) error { // only through a proxy
		proxy, err := url.Parse(stalling(t))
		if err != nil {
			t.Fatal(err)
		}
		tr := http1Client(t)
		tr.Proxy = http.ProxyURL(proxy)
		return notClosed(t, tr, func() *http.Request {
			r := newRequest(t, "POST", "http://lab.invalid/", nil)
			r.Host = "a\x00b"
			return r
		})
	},
	"net/http: can't write control character in Request.URL": unwritable(func(r *http.Request) {
		r.URL.Opaque = "//127.0.0.1/\x01"
	}),
	"http2: request body larger than specified content length": func(t *testing.T) error {
		u := http2Server(t, nil, func(net.Conn, uint32) bool { return true })
		r := newRequest(t, "POST", u, oneWay("too long"))
		r.ContentLength = 5
		return do(t, http2Client(t), r)
	},
	"request header list larger than peer's advertised limit": func(t *testing.T) error {
		const maxHeaderListSize = 6
		small := append([]byte{0, maxHeaderListSize}, uint32s(50)...)
		u := http2Server(t, small, func(c net.Conn, stream uint32) bool {
			c.Write(frame(headersFrame, 5, stream, 0x88))
			return true
		})
		tr := http2Client(t)
		for { // until the settings have been read
			r := newRequest(t, "GET", u, nil)
			r.Header.Set("X", strings.Repeat("x", 100))
			if err := do(t, tr, r); err != nil {
				return err
			}
		}
	},
	"net/http: cannot rewind body after connection loss": cannotRewind,

	"stopped after 10 redirects": func(t *testing.T) error {
		s := httptest.NewServer(http.RedirectHandler("/again", http.StatusFound))
		t.Cleanup(s.Close)
		return get(t, http1Client(t), s.URL)
	},

	" (Client.Timeout exceeded while awaiting headers)": func(t *testing.T) error {
		_, err := (&http.Client{Transport: http1Client(t), Timeout: 20 * time.Millisecond}).Get(stalling(t))
		return err
	},
	" (Client.Timeout or context cancellation while reading body)": stalledBody,
	"net/http: timeout awaiting response headers": func(t *testing.T) error {
		tr := http1Client(t)
		tr.ResponseHeaderTimeout = 20 * time.Millisecond
		return get(t, tr, stalling(t))
	},
	"http2: timeout awaiting response headers": func(t *testing.T) error {
		tr := http2Client(t)
		tr.ResponseHeaderTimeout = 20 * time.Millisecond
		return get(t, tr, http2Server(t, nil, func(net.Conn, uint32) bool { return true }))
	},
	"net/http: request canceled": func(t *testing.T) error {
		r := newRequest(t, "GET", stalling(t), nil)
		gone := make(chan struct{})
		close(gone)
		r.Cancel = gone //lint:ignore SA1019 the one way to make this text
		return do(t, http1Client(t), r)
	},

	"http: server closed idle connection": closedIdle,

	`malformed HTTP response "\x15\x03`:                            saying("\x15\x03\x01\x00\x02\x02\x16"), // a TLS alert, as OpenSSL sends it
	`malformed HTTP response "HTTP/`:                               saying("HTTP/1.1\r\n\r\n"),
	`malformed HTTP response "`:                                    saying("hello\r\n"),
	`malformed HTTP status code "`:                                 saying("HTTP/1.1 abc OK\r\n\r\n"),
	`malformed HTTP version "`:                                     saying("HTTP/x 200 OK\r\n\r\n"),
	`bad Content-Length "`:                                         saying("HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n"),
	"http: message cannot contain multiple Content-Length headers": saying("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"),
	"unsupported transfer encoding: ":                              saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: rot13\r\n\r\n"),
	"too many transfer encodings: ":                                saying("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"),
	"net/http: server response headers exceeded ": func(t *testing.T) error {
		tr := http1Client(t)
		tr.MaxResponseHeaderBytes = 100
		return get(t, tr, answering(t, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 10000)+"\r\n\r\n"))
	},
	"malformed response from server: ": over2(func(stream uint32) []byte {
		return frame(headersFrame, 5, stream, 0x00, 1, 'x', 1, 'y') // no :status
	}, true),
	"http2: response header list larger than advertised limit": func(t *testing.T) error {
		tr := http2Client(t)
		tr.MaxResponseHeaderBytes = 100
		u := http2Server(t, nil, func(c net.Conn, stream uint32) bool {
			field := "\x00\x01x\x7e" + strings.Repeat("y", 126)
			c.Write(frame(headersFrame, 5, stream, []byte("\x88"+strings.Repeat(field, 4))...))
			return true
		})
		return get(t, tr, u)
	},

	"http: unexpected EOF reading trailer":               chunks("0\r\n"),
	"http: suspiciously long trailer after chunked body": chunks("0\r\nX: y"),
	"malformed chunked encoding":                         chunks("5\r\nhelloXX"),
	"invalid byte in chunk length":                       chunks("zz\r\n"),
	"empty hex number for chunk length":                  chunks("\r\n"),
	"http chunk length too large":                        chunks("11111111111111111\r\n"),
	"chunked encoding contains too much non-data":        chunks(strings.Repeat("1;"+strings.Repeat("x", 3000)+"\r\na\r\n", 10)),
	"chunked line ends with bare LF":                     chunks("5\nhello"),
	"invalid CR in chunked line":                         chunks("5\rx\r\n"),
	"header line too long":                               chunks("5;" + strings.Repeat("x", 5000)),
	"net/http: server replied with more than declared Content-Length; truncated": over2(func(stream uint32) []byte {
		contentLength1 := []byte{0x88, 0x0f, 0x0d, 1, '1'}
		return append(frame(headersFrame, 4, stream, contentLength1...), frame(dataFrame, 1, stream, []byte("long")...)...)
	}, true),

	"http2: Transport received GOAWAY from server ErrCode:": over2(func(uint32) []byte {
		return frame(goAwayFrame, 0, 0, uint32s(0, 11)...)
	}, true),
	"http2: Transport received Server's graceful shutdown GOAWAY": over2(func(uint32) []byte {
		return frame(goAwayFrame, 0, 0, uint32s(0, 0)...)
	}, true),
	"http2: client conn not usable": func(t *testing.T) error {
		c := clientConn(t, http2Server(t, nil, func(c net.Conn, stream uint32) bool {
			c.Write(frame(headersFrame, 5, stream, 0x88))
			return true
		}))
		r := newRequest(t, "POST", "http://h2.invalid/", nil)
		resp, err := c.RoundTrip(r)
		if err != nil {
			return err
		}
		resp.Body.Close()
		c.Close()
		_, err = c.RoundTrip(r)
		return err
	},
	"http2: client conn could not be established": func(t *testing.T) error {
		c := clientConn(t, http2Server(t, nil, func(net.Conn, uint32) bool { return true }))
		c.Close()
		_, err := c.RoundTrip(newRequest(t, "POST", "http://h2.invalid/", nil))
		return err
	},
	"http2: server sent GOAWAY and closed the connection; ": over2(func(stream uint32) []byte {
		return frame(goAwayFrame, 0, 0, uint32s(stream, 0)...)
	}, false),
	"http2: client connection lost": func(t *testing.T) error {
		tr := http2Client(t)
		tr.HTTP2 = &http.HTTP2Config{SendPingTimeout: 10 * time.Millisecond, PingTimeout: 10 * time.Millisecond}
		return get(t, tr, http2Server(t, nil, func(net.Conn, uint32) bool { return true }))
	},
	"http2: client connection force closed via ClientConn.Close": func(t *testing.T) error {
		begun := make(chan struct{})
		c := clientConn(t, http2Server(t, nil, func(net.Conn, uint32) bool {
			close(begun)
			return true
		}))
		go func() {
			<-begun
			c.Close()
		}()
		_, err := c.RoundTrip(newRequest(t, "GET", "http://h2.invalid/", nil))
		return err
	},
}

// notMade has the texts for which no fault was found, with the reason why
// they stay.
var notMade = map[string]string{
	"http2: no cached connection was available": "internal to Transport, which dials instead; what it would promise is in its source",
	"http2: client conn is closed":              "the body's writer sees it, and the reader's error comes first",
}

func TestEveryTextOfNetHTTPIsMadeByARealFault(t *testing.T) {
	for _, row := range textTable {
		if notMade[row.text] != "" {
			continue
		}
		t.Run(strings.TrimSpace(row.text), func(t *testing.T) {
			t.Parallel()
			make := makers[row.text]
			if make == nil {
				t.Fatalf("no fault makes %q", row.text)
			}
			err := make(t)
			if err == nil {
				t.Fatalf("no error, want %q", row.text)
			}
			if got := matched(err); got != row.text {
				t.Fatalf("%v\nmatches %q, want %q", err, got, row.text)
			}
			f := FromError(err, Evidence{Request: barePOSTTo(err)})
			if f.Code != row.code {
				t.Errorf("FromError(%v) = %+v, want %s", err, f, row.code)
			}
			never := row.proof == notSent || wroteNothing(err)
			if (f.Processed == Never) != never {
				t.Errorf("FromError(%v) = %+v, want never: %t", err, f, never)
			}
		})
	}
	for text := range makers {
		if !listed(text) {
			t.Errorf("a fault makes %q, which is in no row", text)
		}
	}
}

// wroteNothing: net/http says by a type of its own that nothing was written.
func wroteNothing(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if fmt.Sprintf("%T", err) == "http.nothingWrittenError" {
			return true
		}
	}
	return false
}

func listed(text string) bool {
	for _, row := range textTable {
		if row.text == text {
			return true
		}
	}
	return false
}

// barePOSTTo is a request that net/http does not resend, to the error's URL.
func barePOSTTo(err error) *SentRequest {
	var e *url.Error
	if !errors.As(err, &e) {
		return nil
	}
	return &SentRequest{Method: "POST", URL: e.URL, Body: true}
}

// matched is the text of the row that names err, empty for none.
func matched(err error) string {
	for ; err != nil; err = errors.Unwrap(err) {
		s := strings.TrimSuffix(strings.TrimPrefix(err.Error(), cannotRetry), cannotRetryEnd)
		s = strings.TrimPrefix(s, "stream error: stream ID 1; PROTOCOL_ERROR; ")
		for i := range textTable {
			if errors.Unwrap(err) == nil && textTable[i].matches(s) {
				return textTable[i].text
			}
		}
	}
	return ""
}

// stalledBody runs into Client.Timeout in the body. The head has to come
// before: where the machine is too slow for that, it tries again with more
// time.
func stalledBody(t *testing.T) error {
	u := "http://" + rawServer(t, func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
		io.Copy(io.Discard, c)
	})
	for timeout := 50 * time.Millisecond; ; timeout *= 2 {
		resp, err := (&http.Client{Transport: http1Client(t), Timeout: timeout}).Get(u)
		if err != nil {
			continue
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
}

// noConnection is what a HTTP/2 transport says when its connection is gone;
// net/http then takes the body again.
type noConnection struct{}

func (noConnection) Error() string             { return "no connection" }
func (noConnection) IsHTTP2NoCachedConnError() {}
func (noConnection) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return nil, noConnection{}
}

// cannotRewind has a HTTP/2 transport fail after it has read the body.
func cannotRewind(t *testing.T) error {
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	tr := s.Client().Transport.(*http.Transport).Clone()
	t.Cleanup(tr.CloseIdleConnections)
	tr.TLSClientConfig.NextProtos = []string{"h2"}
	tr.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{
		"h2": func(string, *tls.Conn) http.RoundTripper { return noConnection{} },
	}
	return do(t, tr, newRequest(t, "POST", s.URL, oneWay("x")))
}

// clientConn is one HTTP/2 connection to a server, without a pool.
func clientConn(t *testing.T, u string) *http.ClientConn {
	t.Helper()
	c, err := http2Client(t).NewClientConn(t.Context(), "http", strings.TrimPrefix(u, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// heldConn lets the end of the connection through only when told, and tells
// when net/http has closed it in turn.
type heldConn struct {
	net.Conn
	release, closed chan struct{}
	once            sync.Once
}

func (c *heldConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err == io.EOF {
		<-c.release
	}
	return n, err
}

func (c *heldConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// closedIdle has the server close an idle connection, and the client see that
// only when it has already picked the connection for its next request.
func closedIdle(t *testing.T) error {
	u := answering(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	held := &heldConn{release: make(chan struct{}), closed: make(chan struct{})}
	tr := http1Client(t)
	tr.MaxConnsPerHost = 1
	tr.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		held.Conn = c
		return held, err
	}
	if err := do(t, tr, newRequest(t, "POST", u, oneWay("x"))); err != nil {
		return fmt.Errorf("the first request: %w", err)
	}
	r := newRequest(t, "POST", u, oneWay("x"))
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		close(held.release)
		<-held.closed
	}})
	return do(t, tr, r.WithContext(ctx))
}

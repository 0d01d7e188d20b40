package scenarios

import (
	"context"
	"fmt"

	"github.com/retry-lab/retry-lab/servers"
)

// responseGroup is what becomes of an answer that ends too soon, or is none.
// But for the first reset, the work is done in every row.
func responseGroup() Group {
	gzip := breaks(servers.GzipCut, "RFC 1952 section 2.3", "the framing is whole, the compressed data in it is cut")
	// The connection looks fit for the next request until its end is noticed.
	gzip.ByEngine.Bounds = map[string][2]int{"deliveries": {2, 3}}
	return Group{
		ID: "response", Title: "no answer, or half of one: the work is done, and the client may not know",
		Source:  "RFC 9112 sections 8 and 9.6; tcp(7)",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "note", "untraced", "message"),
		Rows: rows(
			responseFIN,
			responseReset,
			breaks(servers.TruncatedLength, "RFC 9112 section 8", "the body ends before its Content-Length"),
			breaks(servers.TruncatedChunk, "RFC 9112 section 8", "the body ends before its last chunk"),
			breaks(servers.ResetMidBody, "tcp(7)", "the connection is reset in the midst of the body"),
			breaks(servers.TruncatedHead, "RFC 9112 section 8", "the head ends inside a field's name"),
			breaks(servers.Garbage, "RFC 9112 section 2.2", "what comes back is no HTTP but another protocol's greeting"),
			breaks(servers.HeadTooLarge, "net/http: Transport.MaxResponseHeaderBytes", "the head is larger than the client takes"),
			breaks(servers.CloseDelimited, "RFC 9112 sections 6.3 and 8", "a body that only the close ends, cut: no error at all"),
			gzip,
		),
	}
}

var responseFIN = &Case{
	ID: "response/fin", Source: "RFC 9112 section 9.6", Pair: "tls/fin-on-hello",
	Title: "the server does the work and closes in order without an answer",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewFIN(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{})
	},
}

var responseReset = &Case{
	ID: "response/reset", Source: "tcp(7); SO_LINGER in socket(7)",
	Title: "the server reads the request and resets the connection: the outcome is unknown",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewReset(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{})
	},
}

// mostHead is what a client of the lab takes of a head, in bytes.
const mostHead = 16 << 10

// breaks is a case whose server breaks its answer in one way. The note compares
// what the client got of the body with what the server meant to send.
func breaks(how servers.Break, source, title string) *Case {
	return &Case{
		ID: "response/" + string(how), Title: title, Source: source,
		Run: func(ctx context.Context, e *Env) (Run, error) {
			srv, err := servers.NewBroken(servers.Options{}, how)
			if err != nil {
				return Run{}, fmt.Errorf("start server: %w", err)
			}
			defer srv.Close()
			c := newClient(e, nil)
			defer c.close()
			c.transport.MaxResponseHeaderBytes = mostHead
			_, ans, err := c.send(ctx, srv.URL(), call{})
			if err != nil {
				return Run{}, err
			}
			c.close()
			return finish(e, srv, Run{
				Attempts: c.attempts,
				Cells:    map[string]string{"note": bodyNote(ans, servers.BrokenBody)},
			})
		},
	}
}

// bodyNote says how much of a body came, where there was an answer.
func bodyNote(ans answer, meant int) string {
	switch got := len(ans.Body); {
	case ans.Header == nil:
		return ""
	case ans.Err == nil && got < meant:
		return fmt.Sprintf("cannot be detected: %d of %d bytes, and no error", got, meant)
	default:
		return fmt.Sprintf("%d of %d bytes", got, meant)
	}
}

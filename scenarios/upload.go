package scenarios

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/retry-lab/retry-lab/servers"
)

// uploadGroup is what becomes of a request whose body is not read to its end.
func uploadGroup() Group {
	g := Group{
		ID: "upload", Title: "uploads that are not read to the end: a reset may hide an answer",
		Source:  "RFC 9112 section 9.6; RFC 9110 section 10.1.1",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "get", "post", "post_key", "untraced", "message"),
	}
	g.Rows = append(g.Rows, rows(uploadUnread, uploadDrained, uploadHalfClose)...)
	g.Rows = append(g.Rows,
		RowDef{ID: "upload/early-413-answered", Case: uploadEarly, Part: earlyAnswered},
		RowDef{ID: "upload/early-413-lost", Case: uploadEarly, Part: earlyLost},
	)
	g.Rows = append(g.Rows, rows(
		uploadEarlyDrained,
		expects("upload/expect-417", 417, "RFC 9110 section 10.1.1", "the server does not take Expect: once more without it, no byte of the body was sent"),
		expects("upload/expect-503", 503, "RFC 9110 sections 10.1.1 and 15.6.4", "the server refuses on the head alone: no byte of the body was sent"),
		uploadBodyError,
	)...)
	return g
}

// racyRuns is how often a case is run whose outcome the kernel draws.
const racyRuns = 20

var uploadUnread = &Case{
	ID: "upload/unread", Source: "RFC 9112 section 9.6; RFC 1122 section 4.2.2.13", Runs: racyRuns,
	Title: "the server closes mid-upload with unread data: net/http reports one of three errors",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewUnread(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{Body: zeros(uploadSize)})
	},
}

var uploadDrained = &Case{
	ID: "upload/drained", Source: "write(2): EPIPE; tcp(7)", Runs: racyRuns,
	Title: "the server reads what has come and closes in order while the upload goes on",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewDrained(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		body := io.MultiReader(zeros(servers.DrainedFirst), &afterEvent{
			wait: func() error { return srv.Ledger().Await(ctx, ended) },
			rest: zeros(uploadSize - servers.DrainedFirst),
		})
		return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{Body: body, Size: uploadSize})
	},
}

// endless is a body that ends with its connection.
const endless = 1 << 40

var uploadHalfClose = &Case{
	ID: "upload/half-close", Source: "RFC 9112 section 9.6; shutdown(2)",
	Title: "the server closes its own side and reads on: net/http closes the connection under its upload",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewHalfClose(servers.Options{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{Body: zeros(endless)})
	},
}

// errBody is what the caller's own body fails with.
var errBody = errors.New("the export job stopped")

var uploadBodyError = &Case{
	ID: "upload/body-error", Source: "net/http: Request.Body",
	Title: "the body's own Reader fails mid-upload: no network error, whatever it looks like",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewStatus(servers.Options{}, 200, nil)
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		body := io.MultiReader(zeros(servers.DrainedFirst), failing{errBody})
		return byHTTPUntil(ctx, newClient(e, nil), srv, call{Body: body, Size: uploadSize}, ended)
	},
}

// ended: the server has closed the connection of every delivery it has.
func ended(r servers.Record) bool {
	for _, d := range r.Deliveries {
		if d.EndedAt.IsZero() {
			return false
		}
	}
	return len(r.Deliveries) > 0
}

// zeros is a body of n zero bytes, like a file: net/http cannot take it again
// by itself, and whoever rewinds it can.
func zeros(n int64) io.Reader { return &zeroBody{size: n} }

type zeroBody struct{ size, at int64 }

func (z *zeroBody) Read(p []byte) (int, error) {
	n := min(int64(len(p)), z.size-z.at)
	if n <= 0 {
		return 0, io.EOF
	}
	clear(p[:n])
	z.at += n
	return int(n), nil
}

// Close is there for http.NewRequest, which hides the Seek of what has none.
func (z *zeroBody) Close() error { return nil }

func (z *zeroBody) Seek(offset int64, whence int) (int64, error) {
	at := offset + map[int]int64{io.SeekCurrent: z.at, io.SeekEnd: z.size}[whence]
	if at < 0 {
		return 0, fmt.Errorf("seek to %d", at)
	}
	z.at = at
	return at, nil
}

// afterEvent is a body whose bytes come only after an event.
type afterEvent struct {
	wait func() error
	rest io.Reader
}

func (b *afterEvent) Read(p []byte) (int, error) {
	if b.wait != nil {
		if err := b.wait(); err != nil {
			return 0, errors.Join(errors.New("the server's side did not happen"), err)
		}
		b.wait = nil
	}
	return b.rest.Read(p)
}

// failing is a Reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

package scenarios

import (
	"context"
	"fmt"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
)

// What a client sees of an answer that does not wait for the upload.
const (
	earlyAnswered = "answered"
	earlyLost     = "lost"
)

var uploadEarly = &Case{
	ID: "upload/early-413", Source: "RFC 9112 section 9.6; RFC 9110 section 15.5.14", Runs: racyRuns,
	Title: "the server answers 413 and closes while the upload goes on: the reset mostly hides the answer",
	Part: func(r Run) string {
		if r.Attempts[0].Phase == classifier.PhaseAnswered {
			return earlyAnswered
		}
		return earlyLost
	},
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewEarly(servers.EarlyOptions{})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{Body: zeros(uploadSize)})
	},
}

var uploadEarlyDrained = &Case{
	ID: "upload/early-413-drained", Source: "RFC 9112 section 9.6; RFC 9110 section 15.5.14",
	Title: "the server answers 413, then closes its side and reads on: the answer arrives",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		srv, err := servers.NewEarly(servers.EarlyOptions{Drain: true})
		if err != nil {
			return Run{}, fmt.Errorf("start server: %w", err)
		}
		return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{Body: zeros(uploadSize)})
	},
}

// expects is a client that holds its body back until the server asks for it,
// however long that takes.
func expects(id string, status int, source, title string) *Case {
	return &Case{
		ID: id, Source: source, Title: title,
		Run: func(ctx context.Context, e *Env) (Run, error) {
			srv, err := servers.NewEarly(servers.EarlyOptions{Status: status})
			if err != nil {
				return Run{}, fmt.Errorf("start server: %w", err)
			}
			c := newClient(e, nil)
			c.transport.ExpectContinueTimeout = time.Hour
			return byHTTP(ctx, c, srv, srv.URL(), call{Expect: true})
		},
	}
}

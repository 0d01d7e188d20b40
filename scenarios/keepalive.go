package scenarios

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/retry-lab/retry-lab/servers"
)

// keepaliveGroup is what net/http sends again by itself when a connection it
// had kept breaks under a request.
func keepaliveGroup() Group {
	g := Group{
		ID: "keepalive", Title: "a kept connection breaks under a request: what net/http sends again by itself",
		Source:  "net/http: Request.isReplayable, persistConn.shouldRetryRequest; RFC 9110 section 9.2.2",
		Columns: columns("code", "syscall", "phase", "processed", "basis", "saw", "deliveries", "replays", "charges", "get", "post", "post_key", "untraced", "message"),
	}
	for _, end := range []string{servers.EndedFIN, servers.EndedRST} {
		g.Rows = append(g.Rows, rows(
			stale(end, "get", "delivered twice: net/http sends a GET again", call{Method: http.MethodGet}),
			stale(end, "post", "delivered once: a bare POST is not sent again", call{}),
			stale(end, "put", "delivered once: net/http does not count PUT as idempotent, RFC 9110 does", call{Method: http.MethodPut}),
			stale(end, "post-key", "delivered twice: a key in the header is enough for net/http, honoured or not", call{Key: "order-5150"}),
		)...)
	}
	g.Rows = append(g.Rows, rows(stickyRefused)...)
	return g
}

// stale is a request on a connection that was used before, and that the server
// closes in answer to it, the work done.
func stale(end, id, title string, k call) *Case {
	terms := Terms{}
	if id != "post" {
		terms.LeftOut = anotherRequest
	}
	return &Case{
		ByEngine: terms,
		ID:       "keepalive/stale-" + end + "-" + id, Title: title, Source: "net/http: Request.isReplayable",
		Run: func(ctx context.Context, e *Env) (Run, error) {
			return onKeptConnection(ctx, e, servers.StaleOptions{End: end}, k)
		},
	}
}

var stickyRefused = &Case{
	ID: "keepalive/sticky-refused", Source: "net/http: Request.isReplayable; RFC 9110 section 9.2.2", Pair: "connect/refused",
	Title: "net/http sends it again to a port that is dead by then: the error says refused, the work is done",
	Run: func(ctx context.Context, e *Env) (Run, error) {
		return onKeptConnection(ctx, e, servers.StaleOptions{Gone: true}, call{Key: "order-5150"})
	},
}

// onKeptConnection makes the call on a connection that has carried a request
// before.
func onKeptConnection(ctx context.Context, e *Env, o servers.StaleOptions, k call) (Run, error) {
	srv, err := servers.NewStale(o)
	if err != nil {
		return Run{}, fmt.Errorf("start server: %w", err)
	}
	defer srv.Close()
	c := newClient(e, nil)
	defer c.close()
	if err := c.warmUp(ctx, srv.URL()); err != nil {
		return Run{}, err
	}
	run, err := byHTTP(ctx, c, srv, srv.URL(), k)
	run.Cells = map[string]string{"charges": strconv.Itoa(run.Record.Committed())}
	return run, err
}

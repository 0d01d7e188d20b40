package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// defaultWait is how long a request waits that does not say.
const defaultWait = 10 * time.Second

// maxDeliveries bounds what a request may wait for.
const maxDeliveries = 1_000_000

// A wish is what a request for a ledger waits for.
type wish struct {
	deliveries int           // so many; 0: whatever
	quiet      time.Duration // nothing happens for so long; 0: whatever
	timeout    time.Duration
}

func (a *API) read(w http.ResponseWriter, r *http.Request, id string) {
	c, known := a.opts.Origin.Lookup(id)
	if !known {
		noCall(w)
		return
	}
	want, bad := a.wish(r.URL.RawQuery)
	if bad != nil {
		refuse(w, http.StatusBadRequest, *bad)
		return
	}
	timedOut := false
	if want.deliveries > 0 || want.quiet > 0 {
		select {
		case a.waits <- struct{}{}:
			defer func() { <-a.waits }()
		default:
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusServiceUnavailable, problem{Error: "too many requests wait for a ledger", Field: "wait"})
			return
		}
		err := want.await(r.Context(), c)
		if errors.Is(err, servers.ErrDeleted) {
			noCall(w)
			return
		}
		timedOut = err != nil
	}
	rec := a.record(c, r)
	rec.TimedOut = timedOut
	a.answerLong(w, r, http.StatusOK, rec)
}

func (want wish) await(ctx context.Context, c *servers.Call) error {
	ctx, cancel := context.WithTimeout(ctx, want.timeout)
	defer cancel()
	return c.Await(ctx, want.deliveries, want.quiet)
}

// wish reads a query. What it does not know, or has twice, is a mistake.
func (a *API) wish(query string) (wish, *problem) {
	want := wish{timeout: min(defaultWait, a.opts.MaxWait)}
	values, err := url.ParseQuery(query)
	if err != nil {
		return want, &problem{"malformed query", "query"}
	}
	longest := int(a.opts.MaxWait.Milliseconds())
	for name, given := range values {
		most := longest
		if name == "wait" {
			most = maxDeliveries
		}
		n, err := whole(given, most)
		if err != nil {
			return want, &problem{err.Error(), name}
		}
		switch name {
		case "wait":
			want.deliveries = n
		case "quiet_ms":
			want.quiet = time.Duration(n) * time.Millisecond
		case "timeout_ms":
			want.timeout = time.Duration(n) * time.Millisecond
		default:
			return want, &problem{"unknown parameter: there are wait, quiet_ms and timeout_ms", "query"}
		}
	}
	return want, nil
}

func whole(given []string, most int) (int, error) {
	if len(given) != 1 {
		return 0, errors.New("given more than once")
	}
	n, err := strconv.Atoi(given[0])
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("want a whole number from 1 to %d", most)
	}
	return n, nil
}

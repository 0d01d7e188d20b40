package trace_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// A deadline has one text for every wait. The trace tells that the request was
// already on its way, so that a POST must not be sent again.
func Example() {
	srv, err := servers.NewStall(servers.StallOptions{Commit: servers.CommitAtOnce}) // charges, and never answers
	if err != nil {
		fmt.Println(err)
		return
	}
	defer srv.Close()
	transport := &http.Transport{DialContext: trace.Dial((&net.Dialer{}).DialContext)}
	defer transport.CloseIdleConnections()

	caller := context.Background()
	ctx, cancel := context.WithTimeout(caller, 500*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", srv.URL(), strings.NewReader("12 euros"))
	if err != nil {
		fmt.Println(err)
		return
	}

	attempt := trace.Begin(1)
	_, err = transport.RoundTrip(attempt.Request(req))
	failure := classifier.FromError(err, attempt.End(caller, ctx))
	decision := classifier.Decide(failure, classifier.RequestOf(req, false), classifier.Policy{})

	fmt.Println(err)
	fmt.Println(failure.Code, failure.Phase, failure.Processed, decision.Verdict)
	// Output:
	// context deadline exceeded
	// TIMEOUT await maybe ambiguous
}

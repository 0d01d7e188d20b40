package trace

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/retry-lab/retry-lab/classifier"
)

// OnProxyConnectResponse is for the field of http.Transport with its name. It
// notes what a proxy answered to CONNECT: net/http itself passes on the text of
// a status that is not 200, and not the status. It never fails.
func OnProxyConnectResponse(ctx context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
	if a := FromContext(ctx); a != nil {
		a.on("proxy answered CONNECT: ", strconv.Itoa(r.StatusCode), func(e *classifier.Evidence) {
			e.ProxyConnect, e.ProxyStatus = true, r.StatusCode
		})
	}
	return nil
}

// GetProxyConnectHeader is for the field of http.Transport with its name. It
// notes that a CONNECT is sent, so that a wait for its answer is told from one
// for a handshake. It adds no header and never fails. net/http does not look at
// ProxyConnectHeader then: who needs one returns it from a function that calls
// this one.
func GetProxyConnectHeader(ctx context.Context, _ *url.URL, target string) (http.Header, error) {
	if a := FromContext(ctx); a != nil {
		a.on("ask the proxy for ", target, func(e *classifier.Evidence) { e.ProxyConnect = true })
	}
	return nil, nil
}

package trace_test

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/trace"
)

// postByTunnel sends a traced POST that needs a tunnel of the proxy at addr.
func postByTunnel(t *testing.T, ctx context.Context, addr string, change func(*http.Transport)) (classifier.Evidence, error) {
	t.Helper()
	tr := &http.Transport{
		DialContext:            trace.Dial((&net.Dialer{}).DialContext),
		Proxy:                  http.ProxyURL(&url.URL{Scheme: "http", Host: addr}),
		GetProxyConnectHeader:  trace.GetProxyConnectHeader,
		OnProxyConnectResponse: trace.OnProxyConnectResponse,
	}
	if change != nil {
		change(tr)
	}
	defer tr.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://shop.invalid/pay", strings.NewReader("pay"))
	if err != nil {
		t.Fatal(err)
	}
	a := trace.Begin(1)
	resp, err := (&http.Client{Transport: tr}).Do(a.Request(req))
	if err == nil {
		resp.Body.Close()
		t.Fatalf("got %v, want an error", resp.Status)
	}
	return a.End(context.Background(), ctx), err
}

func TestAProxysStatusIsNotLost(t *testing.T) {
	for _, status := range []int{302, 403, 407, 502, 503} {
		srv := servers.Must[*servers.Server](t)(servers.NewNoTunnel(servers.Options{}, status))
		ev, err := postByTunnel(t, t.Context(), srv.Addr(), nil)
		if !ev.ProxyConnect || ev.ProxyStatus != status || ev.GotConn {
			t.Errorf("%d: evidence %+v", status, ev)
		}
		f := classifier.FromError(err, ev)
		if f.Code != classifier.Proxy || f.Status != status || f.Phase != classifier.PhaseProxy ||
			f.Processed != classifier.Never || f.Basis != classifier.Guaranteed {
			t.Errorf("%d: %+v", status, f)
		}
	}
}

func TestAWaitForATunnelIsTheProxysAndNoHandshake(t *testing.T) {
	srv := servers.Must[*servers.Server](t)(servers.NewSilent(servers.Options{}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ev, err := postByTunnel(t, ctx, srv.Addr(), func(tr *http.Transport) {
		tr.GetProxyConnectHeader = func(ctx context.Context, proxy *url.URL, target string) (http.Header, error) {
			defer cancel()
			return trace.GetProxyConnectHeader(ctx, proxy, target)
		}
	})
	if f := classifier.FromError(err, ev); f.Code != classifier.Canceled || f.Phase != classifier.PhaseProxy || f.Processed != classifier.Never {
		t.Errorf("%+v, evidence %+v", f, ev)
	}
}

func TestTheProxyHooksNeedNoAttempt(t *testing.T) {
	if h, err := trace.GetProxyConnectHeader(t.Context(), nil, "shop.invalid:443"); h != nil || err != nil {
		t.Errorf("header %v, %v", h, err)
	}
	if err := trace.OnProxyConnectResponse(t.Context(), nil, nil, &http.Response{StatusCode: 407}); err != nil {
		t.Error(err)
	}
}

package clients_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/retry-lab/retry-lab/servers"
)

// serve answers the nth request by the nth step, the last one again and again;
// what it answers names the delivery.
func serve(t *testing.T, steps []string) *servers.Server {
	t.Helper()
	turn := make(chan int, 1)
	turn <- 1
	return servers.Must[*servers.Server](t)(servers.NewHTTP2(servers.HTTP2Options{HTTP1: func(x *servers.Exchange) {
		if x.ReadBody() != nil {
			return
		}
		if x.Request.URL.Path == servers.WarmUpPath {
			_ = x.Answer(http.StatusOK, nil, "warm\n") // the ledger has it
			return
		}
		n := <-turn
		turn <- n + 1
		step(x, steps[min(n, len(steps))-1], n)
	}}, nil))
}

// step is one fault. An answer that cannot be sent is in the ledger.
func step(x *servers.Exchange, fault string, n int) {
	switch fault {
	case "200":
		x.Commit()
		_ = x.Answer(http.StatusOK, nil, token(n))
	case "404":
		_ = x.Answer(http.StatusNotFound, nil, "")
	case "503":
		_ = x.Answer(http.StatusServiceUnavailable, nil, "")
	case "reset":
		x.RST()
	case "silent":
		x.Stall()
	case "truncated":
		_ = x.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"+token(n), http.StatusOK)
		x.FIN()
	default:
		panic("no step " + fault)
	}
}

func token(n int) string { return fmt.Sprintf("delivery %d\n", n) }

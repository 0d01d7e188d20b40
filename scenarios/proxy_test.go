package scenarios

import "testing"

func TestWhatAProxyAnswersToConnectIsNoAnswerToTheRequest(t *testing.T) {
	byID := runRows(t, proxyGroup())
	for _, row := range byID {
		if n := len(record(t, row).Deliveries); n != 0 {
			t.Errorf("%s: %d deliveries", row.ID, n)
		}
		want(t, row, "processed", "never", "basis", "guaranteed")
	}
	want(t, byID["connect-refused"], "code", "ECONNREFUSED", "post", "yes", "saw", "nothing")
	want(t, byID["connect-407"], "code", "PROXY", "phase", "proxy", "post", "no", "reason", "credentials")
	want(t, byID["connect-502"], "code", "PROXY", "phase", "proxy", "post", "yes")
	for id, status := range map[string]int{"connect-refused": 0, "connect-407": 407, "connect-502": 502} {
		if got := byID[id].Attempts[0].Evidence.ProxyStatus; got != status {
			t.Errorf("%s: the proxy's status is %d, want %d", id, got, status)
		}
	}
}

package scenarios

import "testing"

func TestAFailedHandshakeIsNeverARequest(t *testing.T) {
	mayPass := map[string]bool{"handshake-stall": true, "reset-on-hello": true, "fin-on-hello": true}
	byID := runRows(t, tlsGroup())
	for id, row := range byID {
		if r := record(t, row); len(r.Deliveries) != 0 || len(r.Connections) != 1 {
			t.Errorf("%s: %d connections, deliveries %+v; want one and none", row.ID, len(r.Connections), r.Deliveries)
		}
		again := "no"
		if mayPass[id] {
			again = "yes"
		}
		want(t, row, "saw", "connection", "get", again, "post", again, "post_key", again)
	}
	// Its alert is not HTTP, and what is no HTTP proves nothing.
	want(t, byID["plain-to-tls"], "code", "NOT_TLS", "processed", "maybe")
	// The alert comes where the answer should be, and from a server that could
	// not have decrypted the request.
	want(t, byID["client-cert-required"], "code", "TLS_ALERT", "phase", "await", "processed", "never")
}

func TestTheSameEOFIsHarmlessInAHandshakeAndNotAfterARequest(t *testing.T) {
	hello, fin := runRows(t, tlsGroup())["fin-on-hello"], runRows(t, responseGroup())["fin"]
	if hello.Cells["message"] != "EOF" || fin.Cells["message"] != "EOF" {
		t.Errorf("messages %q and %q, want EOF twice", hello.Cells["message"], fin.Cells["message"])
	}
	want(t, hello, "code", "TLS_EOF", "processed", "never", "post", "yes")
	want(t, fin, "code", "EOF", "processed", "maybe", "post", "no")
	if record(t, fin).Committed() != 1 {
		t.Errorf("%s: nothing committed", fin.ID)
	}
	if hello.Def.Case.Pair != fin.ID || fin.Def.Case.Pair != hello.ID {
		t.Errorf("pairs %q and %q", hello.Def.Case.Pair, fin.Def.Case.Pair)
	}
}

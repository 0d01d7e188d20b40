package scenarios

import (
	"strings"
	"testing"
)

func TestNothingWasSentWhateverTheResolverSays(t *testing.T) {
	for id, row := range runRows(t, resolveGroup()) {
		want(t, row, "phase", "resolve", "syscall", "getaddrinfo", "processed", "never", "basis", "guaranteed", "saw", "nothing")
		again := "yes"
		if id == "nxdomain" || id == "nodata" {
			again = "no" // the resolver knows, and will say so again
		}
		want(t, row, "get", again, "post", again, "post_key", again)
	}
}

func TestOneTextOfAResolverHasTwoMeanings(t *testing.T) {
	byID := runRows(t, resolveGroup())
	for _, pair := range []struct{ a, codeA, b, codeB, text string }{
		{"servfail", "EAI_AGAIN", "refused-rcode", "EAI_FAIL", "server misbehaving"},
		{"nxdomain", "ENOTFOUND", "nodata", "ENOTFOUND", "no such host"},
	} {
		want(t, byID[pair.a], "code", pair.codeA)
		want(t, byID[pair.b], "code", pair.codeB)
		for _, id := range []string{pair.a, pair.b} {
			if m := byID[id].Cells["message"]; !strings.HasSuffix(m, ": "+pair.text) {
				t.Errorf("%s: message %q, want %q at its end", id, m, pair.text)
			}
		}
	}
}

// The refused connection is the resolver's: an errno's name in the text is not
// the server's.
func TestARefusedResolverIsNoRefusedServer(t *testing.T) {
	byID := runRows(t, Group{ID: "resolve", Columns: resolveGroup().Columns, Rows: rows(resolveNoListener, connectRefused)})
	for id, code := range map[string]string{"no-listener": "EAI_AGAIN", "refused": "ECONNREFUSED"} {
		want(t, byID[id], "code", code, "post", "yes")
		if m := byID[id].Cells["message"]; !strings.HasSuffix(m, "connection refused") {
			t.Errorf("%s: message %q", id, m)
		}
	}
}

// What getaddrinfo says is not what Go's own resolver says of the same answer.
func TestTheSystemsResolverIsTheMachinesAndNotGos(t *testing.T) {
	byID := runRows(t, resolveGroup())
	system := byID["system-eai-again"]
	want(t, system, "code", "EAI_AGAIN", "saw", "nothing")
	if system.Skipped == "" && system.Cells["message"] == byID["servfail"].Cells["message"] {
		t.Errorf("both say %q", system.Cells["message"])
	}
}

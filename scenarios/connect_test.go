package scenarios

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"github.com/retry-lab/retry-lab/servers"
)

// runConnect is runRows for the group without its racy case, of which one part
// is withheld as it should be.
func runConnect(t *testing.T) map[string]Row {
	t.Helper()
	g := connectGroup()
	var certain []RowDef
	for _, row := range g.Rows {
		if row.Part == "" {
			certain = append(certain, row)
		}
	}
	g.Rows = certain
	return runRows(t, g)
}

// The errno is the same. What it failed on, and what the server has done, is
// the opposite.
func TestTheSameErrnoOnConnectAndAfterTheWorkIsDone(t *testing.T) {
	byID := runConnect(t)
	for _, pair := range []struct{ code, before, after string }{
		{"ECONNREFUSED", "refused", "refused-after-processed"},
		{"ETIMEDOUT", "backlog-full", "etimedout-established"},
	} {
		before, after := byID[pair.before], byID[pair.after]
		want(t, before, "code", pair.code, "syscall", "connect", "phase", "connect",
			"processed", "never", "basis", "guaranteed", "saw", "nothing", "get", "yes", "post", "yes", "post_key", "yes")
		want(t, after, "code", pair.code, "syscall", "read", "phase", "await",
			"processed", "maybe", "saw", "request, committed", "get", "yes", "post", "no", "post_key", "yes")
		if after.Skipped != "" {
			continue
		}
		if r := record(t, after); len(r.Deliveries) != 1 || r.Committed() != 1 {
			t.Errorf("%s: ledger %+v, want one delivery, committed", after.ID, r)
		}
		// Not for a timer of the client's.
		if ev := after.Attempts[0].Evidence; ev.ContextErr != nil || ev.BytesOut == 0 || ev.BytesIn != 0 {
			t.Errorf("%s: evidence %+v", after.ID, ev)
		}
	}
}

func TestWithoutAConnectionNothingIsSentWhateverTheErrno(t *testing.T) {
	byID := runConnect(t)
	for _, row := range []struct{ id, code, syscall, again string }{
		{"refused-dual-stack", "ECONNREFUSED", "connect", "yes"},
		{"dial-timeout", "TIMEOUT", "", "yes"},
		{"net-unreachable", "ENETUNREACH", "connect", "yes"},
		{"host-unreachable", "EHOSTUNREACH", "connect", "yes"},
		{"prohibited", "EACCES", "connect", "no"},
		{"blackhole", "EINVAL", "connect", "no"},
		{"no-ports", "EADDRNOTAVAIL", "connect", "yes"},
		{"no-files", "EMFILE", "socket", "yes"},
	} {
		want(t, byID[row.id], "code", row.code, "syscall", row.syscall, "phase", "connect", "processed", "never",
			"basis", "guaranteed", "saw", "nothing", "get", row.again, "post", row.again, "post_key", row.again)
	}
}

// It is the same fault in every run. Who found it decides whether anything can
// have been sent; net/http, whose texts vary, is judged the same.
func TestAResetOnAcceptIsJudgedByWhoFoundIt(t *testing.T) {
	for name, once := range map[string]func(context.Context, *Env) (Run, error){
		"plain socket": connectResetOnAccept.Run,
		"net/http": func(ctx context.Context, e *Env) (Run, error) {
			srv, err := servers.NewResetOnAccept(servers.ResetOnAcceptOptions{Within: resetWithin})
			if err != nil {
				return Run{}, err
			}
			return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{})
		},
	} {
		found := map[string]int{}
		for range 100 {
			run, err := once(t.Context(), &Env{Epoch: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			part, a := foundIn(run), run.Attempts[0]
			found[part]++
			processed, sent := "never", false
			if part == "read" {
				processed, sent = "maybe", true
			}
			if string(a.Processed) != processed || (a.Evidence.BytesOut > 0) != sent {
				t.Errorf("%s, found by %s: %s, %d bytes sent, processed %s: %s", name, part, a.Code, a.Evidence.BytesOut, a.Processed, a.Message)
			}
			if name == "plain socket" && (a.Code != "ECONNRESET" || string(a.Syscall) != part) {
				t.Errorf("%s, found by %s: %s on %s", name, part, a.Code, a.Syscall)
			}
			if r := run.Record; len(r.Connections) != 1 || len(r.Deliveries) != 0 {
				t.Errorf("%s, found by %s: ledger %+v, want one connection and no request", name, part, r)
			}
		}
		t.Logf("%s: found by %v", name, found)
	}
}

// On a kernel that cannot narrow one socket's ports, a namespace's are.
func TestBothWaysToRunOutOfPortsAreOneRow(t *testing.T) {
	inNamespace := *connectNoPorts
	inNamespace.Run = inChild(*connectNoPorts, netns.Spec{Namespaces: netns.Network}, noPortsInNamespace).Run
	g := Group{ID: "connect", Columns: connectGroup().Columns}
	g.Rows = rows(connectNoPorts)
	bySocket := runRows(t, g)["no-ports"]
	g.Rows = rows(&inNamespace)
	byNamespace := runRows(t, g)["no-ports"]
	if bySocket.Skipped != "" || byNamespace.Skipped != "" {
		t.Skip(bySocket.Skipped, byNamespace.Skipped)
	}
	for name, cell := range bySocket.Cells {
		if name != "message" { // which has the server's port
			want(t, byNamespace, name, cell)
		}
	}
	if m := byNamespace.Cells["message"]; !strings.HasSuffix(m, "connect: cannot assign requested address") {
		t.Errorf("message %q", m)
	}
}

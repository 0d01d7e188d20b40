package servers

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"
)

func TestAFullBacklogLetsNobodyIn(t *testing.T) {
	b := Must[*Backlog](t)(NewFullBacklog(Options{}))
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", b.Addr())
		cancel()
		if err == nil {
			c.Close()
			t.Fatal("connected")
		}
		if e, ok := err.(net.Error); !ok || !e.Timeout() {
			t.Fatalf("dial: %v, want a timeout", err)
		}
	}
	if _, _, err := postFor(client(t), b.URL(), "", "x", 100*time.Millisecond); err == nil {
		t.Error("net/http got an answer")
	}
}

func TestABacklogGivesEverythingBack(t *testing.T) {
	first := Must[*Backlog](t)(NewFullBacklog(Options{})) // the runtime's own descriptors are there now
	before := openFiles(t)
	for range 20 {
		b, err := NewFullBacklog(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if b.Port() == 0 || b.Port() == first.Port() || !strings.HasSuffix(b.URL(), b.Addr()) {
			t.Errorf("port %d, URL %q", b.Port(), b.URL())
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := openFiles(t); n > before {
		t.Errorf("%d descriptors before, %d after", before, n)
	}
}

func TestABacklogIsRefusedWhatAServerIs(t *testing.T) {
	for _, o := range []Options{{Addr: ":0"}, {Addr: "127.0.0.1"}, {MaxConns: -1}} {
		if b, err := NewFullBacklog(o); err == nil {
			b.Close()
			t.Errorf("%+v was accepted", o)
		}
	}
}

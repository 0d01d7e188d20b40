package servers

import (
	"syscall"
	"testing"
	"time"
)

// The queue holds a client that accept(2) has no descriptor for.
func TestAcceptGoesOnWhenThereAreDescriptorsAgain(t *testing.T) {
	srv := stalling(t, Options{MaxConns: 1})
	first, second := dial(t, srv.Addr()), dial(t, srv.Addr())
	write(t, first, "GET /first HTTP/1.1\r\nHost: lab\r\n\r\n")
	write(t, second, "GET /second HTTP/1.1\r\nHost: lab\r\n\r\n")
	await(t, srv.Ledger(), "the first is served", func(r Record) bool { return len(r.Deliveries) == 1 })

	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	limit := before
	limit.Cur = 3 // what is open stays open
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	first.Close()
	idle(t, srv)
	time.Sleep(30 * time.Millisecond) // for accept to fail meanwhile, a few times
	n := len(srv.Ledger().Record(time.Time{}).Connections)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if n != 1 {
		t.Fatalf("%d connections accepted without a descriptor", n)
	}
	await(t, srv.Ledger(), "the second is served", func(r Record) bool { return len(r.Deliveries) == 2 })
}

package servers

import (
	"context"
	"errors"
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

// Nobody can be served any more, and nobody is left waiting: neither the client
// in the queue nor who waits for the ledger.
func TestAServerThatCannotAcceptGivesUpAndSaysWhy(t *testing.T) {
	srv, err := NewReset(Options{AcceptPatience: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	limit := before
	limit.Cur = 3 // what is open stays open
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	connectErr := syscall.Connect(fd, &syscall.SockaddrInet4{Port: srv.Port(), Addr: [4]byte{127, 0, 0, 1}})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	awaitErr := srv.Ledger().Await(ctx, func(r Record) bool { return len(r.Connections) > 0 })
	_, readErr := syscall.Read(fd, make([]byte, 1))
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if connectErr != nil || !errors.Is(readErr, syscall.ECONNRESET) {
		t.Errorf("client: connect %v, read %v; want it reset in the queue", connectErr, readErr)
	}
	if !errors.Is(awaitErr, syscall.EMFILE) {
		t.Errorf("who waits for the ledger gets %v, want EMFILE", awaitErr)
	}
	for range 2 {
		if err := srv.Close(); !errors.Is(err, syscall.EMFILE) {
			t.Errorf("Close: %v, want EMFILE", err)
		}
	}
}

package servers

import (
	"crypto/tls"
	"fmt"
	"math"
)

// Options are common to all servers. The zero value is good.
type Options struct {
	// Addr to listen on; empty means 127.0.0.1:0. Loopback only: an address
	// beyond it needs Unsafe.
	Addr   string
	Unsafe bool

	// TLS, if set, makes the server speak it.
	TLS *tls.Config

	// MaxBody bounds what is read of one request's body, in bytes; zero means
	// 64 MiB. A longer body is cut off by closing.
	MaxBody int64

	// MaxEntries bounds the ledger's connections and, apart, its deliveries;
	// zero means 10,000. What comes after is served, and counted as dropped.
	MaxEntries int

	// MaxConns bounds the open connections; zero means 20,000. Further ones
	// wait in the kernel's accept queue.
	MaxConns int
}

// withDefaults fills in what is zero and refuses what no server can use.
func (o Options) withDefaults() (Options, error) {
	if o.MaxBody < 0 || o.MaxEntries < 0 || o.MaxConns < 0 {
		return o, fmt.Errorf("negative bound: body %d, entries %d, connections %d",
			o.MaxBody, o.MaxEntries, o.MaxConns)
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.MaxBody == 0 {
		o.MaxBody = 64 << 20
	}
	o.MaxBody = min(o.MaxBody, math.MaxInt64-1) // one more is read to tell
	if o.MaxEntries == 0 {
		o.MaxEntries = 10_000
	}
	if o.MaxConns == 0 {
		o.MaxConns = 20_000
	}
	return o, nil
}

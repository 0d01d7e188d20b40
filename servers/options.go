package servers

import (
	"crypto/tls"
	"fmt"
	"math"
	"time"
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

	// AcceptPatience is for how long an accept that fails is tried again, as
	// where no descriptor is left, before the server gives up; zero means 2 s.
	AcceptPatience time.Duration

	// MaxConns bounds the open connections; zero means 20,000. Further ones
	// wait in the kernel's accept queue.
	MaxConns int
}

// withDefaults fills in what is zero and refuses what no server can use.
func (o Options) withDefaults() (Options, error) {
	if o.AcceptPatience < 0 {
		return o, fmt.Errorf("negative patience: %v", o.AcceptPatience)
	}
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
	if o.AcceptPatience == 0 {
		o.AcceptPatience = 2 * time.Second
	}
	if o.MaxConns == 0 {
		o.MaxConns = 20_000
	}
	return o, nil
}

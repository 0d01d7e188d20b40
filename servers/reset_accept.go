package servers

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// ResetOnAcceptOptions make a server that resets what it accepts.
type ResetOnAcceptOptions struct {
	Options

	// Within is the time after accept in which the reset comes, at a moment
	// drawn for each connection; zero means at once.
	Within time.Duration

	// Draw is where that moment comes from: a time from zero to below its
	// argument. It is called from several goroutines; nil means rand.N.
	Draw func(time.Duration) time.Duration
}

// NewResetOnAccept resets every connection that it accepts, and reads nothing
// of it.
//
// The handshake is the kernel's and has succeeded by then, so that it is a race
// where the client finds the reset: at the end of its connect, when nothing was
// sent; when it writes; or when it reads, its request having been taken by the
// kernel. The ledger has the connection and no delivery, whichever it was.
func NewResetOnAccept(o ResetOnAcceptOptions) (*Server, error) {
	if o.Within < 0 {
		return nil, fmt.Errorf("negative time %v", o.Within)
	}
	draw := o.Draw
	if draw == nil {
		draw = rand.N[time.Duration]
	}
	return start(o.Options, func(c *Conn) {
		if o.Within == 0 || c.s.pause(draw(o.Within)) {
			c.RST()
		}
	})
}

package classifier

import (
	"net"
	"os"
	"syscall"
	"testing"
)

// Compiled for Windows, and not yet run there.
func TestWinsockErrorsAreNamed(t *testing.T) {
	for errno, want := range map[syscall.Errno]Code{10054: "ECONNRESET", 10060: "ETIMEDOUT", 10061: "ECONNREFUSED", 10065: "EHOSTUNREACH"} {
		err := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connectex", errno)}
		f := FromError(err, Evidence{})
		if f.Code != want || f.Syscall != Connect || f.Processed != Never {
			t.Errorf("FromError(%v) = %+v, want %s on connect, never", err, f, want)
		}
	}
}

package classifier

import (
	"net"
	"strings"
	"syscall"
)

// codeOfDNS names a resolver's failure as getaddrinfo(3) does. Not every
// failure sets every flag, so they are asked from the most certain down. Go
// does not wrap the errno of a resolver's socket; the one that matters, no
// descriptor left, is told by its text (and is no reason to blame the name).
// "connection refused" in that text is the resolver's port, not the server's.
func codeOfDNS(e *net.DNSError) Code {
	switch {
	case e.IsNotFound:
		return NotFound
	case strings.HasSuffix(e.Err, syscall.EMFILE.Error()):
		return "EMFILE"
	case e.IsTimeout:
		return Timeout
	case e.IsTemporary:
		return EAIAgain
	}
	return EAIFail
}

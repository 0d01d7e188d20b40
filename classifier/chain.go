package classifier

import (
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// chain is what the values in an error's tree say, gathered in one walk from
// the outside in. A field keeps the first value found.
type chain struct {
	client *url.Error // the outermost, where it came through a http.Client
	dns    *net.DNSError

	// The operations of *net.OpError. proxy: of a dial through a proxy.
	dial, read, write, proxy bool

	sys      string // the name in *os.SyscallError
	errno    Code   // the name of the syscall.Errno
	canceled bool   // context.Canceled, in whatever clothes

	// code and phase are what any other value says; phase may be empty.
	code  Code
	phase Phase

	// proof is what the value itself proves about processing. A message text
	// is no proof, but for those that textTable lists.
	proof outcome

	// cannotResend: net/http says that it could not send the body again.
	// connectStatus: what a proxy answered to CONNECT, by its text.
	cannotResend  bool
	connectStatus int

	overHTTP2      bool // an error that only HTTP/2 makes
	nothingWritten bool // net/http wrote nothing on this connection
	mixed          bool // several errors were joined; the first is the one noted

	looked int // values looked at so far
}

// maxChain bounds how many values of an error tree are looked at: the tree may
// be anybody's.
const maxChain = 64

// walk visits err and what it wraps.
func (c *chain) walk(err error) {
	for err != nil && c.looked < maxChain {
		c.looked++
		switch e := err.(type) {
		case *url.Error:
			c.urlError(e)
			err = e.Err
		case *net.OpError:
			c.operation(e)
			err = e.Err
		case *os.SyscallError:
			if c.sys == "" {
				c.sys = e.Syscall
			}
			err = e.Err
		case syscall.Errno:
			if c.errno == "" {
				c.errno = codeOfErrno(e)
			}
			return
		case *net.DNSError:
			if c.dns == nil {
				c.dns = e
			}
			err = e.UnwrapErr
		case interface{ Unwrap() error }:
			inner := e.Unwrap()
			if !c.typed(err) && inner == nil {
				c.leaf(err)
			}
			err = inner
		case interface{ Unwrap() []error }:
			c.join(e.Unwrap())
			return
		default:
			if !c.typed(err) {
				c.leaf(err)
			}
			return
		}
	}
}

// join visits errors that stand side by side. The first that says anything is
// taken, and where several do none of them proves that nothing was sent.
func (c *chain) join(errs []error) {
	for _, err := range errs {
		branch := chain{looked: c.looked}
		branch.walk(err)
		c.looked = branch.looked
		switch {
		case branch.says() && c.says():
			c.mixed = true
		case branch.says():
			client := c.client
			*c = branch
			if client != nil {
				c.client = client
			}
		}
	}
}

// says tells whether anything was recognised.
func (c *chain) says() bool {
	return c.code != "" || c.errno != "" || c.dns != nil || c.canceled || c.mixed ||
		c.dial || c.read || c.write || c.proxy
}

// urlError notes a *url.Error. One that could not parse an address comes from
// net/url and says that there was no request at all.
func (c *chain) urlError(e *url.Error) {
	switch {
	case e.Op == "parse":
		c.is(InvalidRequest, PhasePrepare, outcome{Never, Guaranteed})
	case c.client == nil:
		c.client = e
	}
}

// operation notes the operation of a *net.OpError.
func (c *chain) operation(e *net.OpError) {
	switch e.Op {
	case "dial":
		c.dial = true
	case "read":
		c.read = true
	case "write", "readfrom", "sendfile", "splice", "writev":
		c.write = true
	case "proxyconnect":
		c.proxy = true
	case "remote error", "local error":
		c.alert(e)
	default:
		if strings.HasPrefix(e.Op, "socks ") {
			c.proxy = true
			c.is(Proxy, PhaseProxy, outcome{})
		}
	}
}

// is notes the first code with its phase and its proof.
func (c *chain) is(code Code, phase Phase, proof outcome) {
	if c.code == "" {
		c.code, c.phase, c.proof = code, phase, proof
	}
}

// call is the system call that failed, by its name or else by the operation.
// Errors of a resolver count as getaddrinfo; a timer or a clean close is the
// failure of no call.
func (c *chain) call() Syscall {
	switch {
	case c.dns != nil:
		return Getaddrinfo
	case c.errno == "":
		return ""
	}
	switch c.sys {
	case "connect", "connectex", "ConnectEx", "getsockopt":
		return Connect
	case "socket", "bind", "setsockopt", "WSASocket", "wsasocket":
		return Socket
	case "write", "writev", "wsasend", "sendfile", "splice", "sendmsg", "sendto", "transmitfile":
		return Write
	case "read", "readv", "wsarecv", "recvmsg", "recvfrom":
		return Read
	case "getaddrinfo", "getaddrinfow":
		return Getaddrinfo
	}
	switch {
	case c.write:
		return Write
	case c.read:
		return Read
	case c.dial:
		return Connect
	}
	return ""
}

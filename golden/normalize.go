package golden

import (
	"net/netip"
	"regexp"
	"strings"
)

// Normalizer replaces what differs between two runs of the same case in a text:
// the port of a loopback address, the client's own port, a process ID, the time
// at which a certificate was looked at, and the resolver's address. The zero
// Normalizer knows no resolver.
type Normalizer struct {
	// Resolver is the address of the resolver that was asked, which becomes
	// RESOLVER. The zero value is none.
	Resolver netip.AddrPort
}

// Normalize returns s with its volatile parts replaced; applied again it
// changes nothing. A message comes out as
//
//	dial tcp 127.0.0.1:PORT: connect: connection refused
//	read tcp 127.0.0.1:PORT->127.0.0.1:PORT: read: connection reset by peer
//	lookup no-such-host.invalid. on RESOLVER: no such host
func (n Normalizer) Normalize(s string) string {
	if n.Resolver.IsValid() {
		addr := netip.AddrPortFrom(n.Resolver.Addr().Unmap(), n.Resolver.Port())
		s = replaceAddress(s, addr.String(), "RESOLVER")
	}
	for _, v := range volatile {
		s = v.pattern.ReplaceAllString(s, v.stable)
	}
	return s
}

// volatile is applied in order; nothing that one rule writes matches another.
var volatile = []struct {
	pattern *regexp.Regexp
	stable  string
}{
	// All of 127.0.0.0/8 is this machine.
	{regexp.MustCompile(`\b127(?:\.[0-9]{1,3}){3}:[0-9]{1,5}\b`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`\[::1\]:[0-9]{1,5}\b`), "[::1]:PORT"},
	{regexp.MustCompile(`\blocalhost:[0-9]{1,5}\b`), "localhost:PORT"},
	// net.OpError puts the client's own address before the arrow.
	{regexp.MustCompile(`(\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}|\[[0-9a-fA-F:.]+(?:%\w+)?\]):[0-9]{1,5}->`), "$1:PORT->"},
	// Not after PID, which the rule itself writes: pid 1 2.
	{regexp.MustCompile(`\b(pid|process)([ =:]|: )[0-9]+\b`), "${1}${2}PID"},
	{regexp.MustCompile(`/proc/[0-9]+\b`), "/proc/PID"},
	// crypto/x509 says when it looked at a certificate.
	{regexp.MustCompile(`\bcurrent time [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:Z|[+-][0-9]{2}:[0-9]{2})`), "current time TIME"},
}

// replaceAddress replaces addr where it is not a part of a longer address.
func replaceAddress(s, addr, by string) string {
	var b strings.Builder
	done := 0
	for at := 0; ; {
		i := strings.Index(s[at:], addr)
		if i < 0 {
			b.WriteString(s[done:])
			return b.String()
		}
		at += i
		end := at + len(addr)
		if startsAddress(s, at) && (end == len(s) || !isDigit(s[end])) {
			b.WriteString(s[done:at] + by)
			done = end
		}
		at = end
	}
}

// startsAddress reports whether an address at i in s begins there: a bracket
// always begins one, a number does not continue another.
func startsAddress(s string, i int) bool {
	return i == 0 || s[i] == '[' || !isDigit(s[i-1]) && s[i-1] != '.'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

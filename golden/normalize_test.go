package golden_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
	"pgregory.net/rapid"
)

func TestVolatilePartsOfAMessageAreReplaced(t *testing.T) {
	local := golden.Normalizer{Resolver: netip.MustParseAddrPort("127.0.0.1:53")}
	for _, tt := range []struct {
		why, in, want string
		n             golden.Normalizer
	}{
		{"a port that was dialled", "dial tcp 127.0.0.1:40123: connect: connection refused", "dial tcp 127.0.0.1:PORT: connect: connection refused", golden.Normalizer{}},
		{"both ends of a connection", "read tcp 127.0.0.1:5->127.0.0.1:65535: read: connection reset by peer", "read tcp 127.0.0.1:PORT->127.0.0.1:PORT: read: connection reset by peer", golden.Normalizer{}},
		{"IPv6", "write tcp [::1]:40123->[::1]:80: write: broken pipe", "write tcp [::1]:PORT->[::1]:PORT: write: broken pipe", golden.Normalizer{}},
		{"a URL", `Post "http://127.0.0.1:40123/x": EOF`, `Post "http://127.0.0.1:PORT/x": EOF`, golden.Normalizer{}},
		{"localhost", `Get "https://localhost:40123": EOF`, `Get "https://localhost:PORT": EOF`, golden.Normalizer{}},
		{"another loopback address", "dial tcp 127.8.9.10:99: i/o timeout", "dial tcp 127.0.0.1:PORT: i/o timeout", golden.Normalizer{}},
		{"an address without a port is no place of ours", "x509: certificate is valid for 127.0.0.1, not 10.0.0.1", "x509: certificate is valid for 127.0.0.1, not 10.0.0.1", golden.Normalizer{}},
		{"the client's own port beyond loopback", "read tcp 10.0.0.1:40123->10.0.0.2:80: connection refused", "read tcp 10.0.0.1:PORT->10.0.0.2:80: connection refused", golden.Normalizer{}},
		{"the same, IPv6 with a zone", "read tcp [fe80::1%eth0]:40123->[fe80::2%eth0]:80: EOF", "read tcp [fe80::1%eth0]:PORT->[fe80::2%eth0]:80: EOF", golden.Normalizer{}},
		{"the resolver", "lookup no-such-host.invalid. on 127.0.0.1:53: no such host", "lookup no-such-host.invalid. on RESOLVER: no such host", local},
		{"the resolver at the end of an arrow", "read udp 127.0.0.1:40123->127.0.0.1:53: i/o timeout", "read udp 127.0.0.1:PORT->RESOLVER: i/o timeout", local},
		{"a port that only begins like the resolver's", "dial tcp 127.0.0.1:5353: EOF", "dial tcp 127.0.0.1:PORT: EOF", local},
		{"a resolver beyond loopback", "lookup x. on 10.1.2.3:53: server misbehaving", "lookup x. on RESOLVER: server misbehaving", golden.Normalizer{Resolver: netip.MustParseAddrPort("10.1.2.3:53")}},
		{"an address that only ends like that one", "lookup x. on 110.1.2.3:53", "lookup x. on 110.1.2.3:53", golden.Normalizer{Resolver: netip.MustParseAddrPort("10.1.2.3:53")}},
		{"a resolver on IPv6", "lookup x. on [::1]:53: EOF", "lookup x. on RESOLVER: EOF", golden.Normalizer{Resolver: netip.MustParseAddrPort("[::1]:53")}},
		{"a resolver in the form of a dual-stack socket", "lookup x. on 127.0.0.1:53: EOF", "lookup x. on RESOLVER: EOF", golden.Normalizer{Resolver: netip.MustParseAddrPort("[::ffff:127.0.0.1]:53")}},
		{"a resolver that was not named", "lookup x. on 10.1.2.3:53: EOF", "lookup x. on 10.1.2.3:53: EOF", golden.Normalizer{}},
		{"process IDs", "pid 71 pid=72 process: 73 open /proc/74/fd", "pid PID pid=PID process: PID open /proc/PID/fd", golden.Normalizer{}},
		{"when a certificate was looked at", "x509: certificate has expired or is not yet valid: current time 2026-11-29T23:40:00Z is after 2020-01-01T00:00:00Z", "x509: certificate has expired or is not yet valid: current time TIME is after 2020-01-01T00:00:00Z", golden.Normalizer{}},
		{"the same, east of Greenwich", "current time 2026-11-29T23:40:00+02:00 is before 2099-01-01T00:00:00Z", "current time TIME is before 2099-01-01T00:00:00Z", golden.Normalizer{}},
		{"other numbers stay", "HTTP_503 after 300 ms, rapid 12", "HTTP_503 after 300 ms, rapid 12", golden.Normalizer{}},
		{"nothing", "", "", local},
	} {
		if got := tt.n.Normalize(tt.in); got != tt.want {
			t.Errorf("%s: Normalize(%q)\n got %q\nwant %q", tt.why, tt.in, got, tt.want)
		}
	}
}

func TestNormalizingTwiceIsNormalizingOnce(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"127.0.0.1", "127.1.2.3", "10.1.2.3", "[::1]", "[fe80::1]", "[fe80::1%eth0]", "localhost", ":53", ":5", ":40123", "->", " ",
		"pid ", "pid", "process: ", "PID", "PORT", "RESOLVER", "/proc/", "current time ", "2026-11-29T23:40:00Z", "+02:00", "/", ".", "1", "53", "x", "%"})
	text := rapid.Map(rapid.SliceOfN(pieces, 0, 12), func(p []string) string { return strings.Join(p, "") })
	resolvers := []netip.AddrPort{{}}
	for _, r := range []string{"127.0.0.1:53", "10.1.2.3:5", "[::1]:53", "[fe80::1]:53", "[fe80::1%eth0]:5"} {
		resolvers = append(resolvers, netip.MustParseAddrPort(r))
	}
	rapid.Check(t, func(t *rapid.T) {
		n := golden.Normalizer{Resolver: rapid.SampledFrom(resolvers).Draw(t, "resolver")}
		once := n.Normalize(text.Draw(t, "text"))
		if twice := n.Normalize(once); twice != once {
			t.Fatalf("resolver %v: %q becomes %q", n.Resolver, once, twice)
		}
	})
}

//go:build linux

package netns_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"golang.org/x/sys/unix"
)

// An exchange is what became of one request on an established connection.
type exchange struct {
	Received string // what the server read
	Error    string // what the client's read of the answer failed with
	NS       int64  // how long the client waited
	RulesNS  int64  // how long nft took
}

func TestFirewallFailsARequestThatTheServerHas(t *testing.T) {
	rows := []struct{ why, child, want string }{
		// ECONNREFUSED from read, after the server has acted: the errno alone
		// does not say that nothing was sent.
		{"the acknowledgement is lost, the repeated request refused", "refused", "read: connection refused"},
		{"both directions are dropped", "timed-out", "read: connection timed out"},
	}
	for _, r := range rows {
		for _, ns := range []netns.Namespaces{netns.Network, netns.Network | netns.User} {
			t.Run(r.why+", "+ns.String(), func(t *testing.T) {
				t.Parallel()
				got := run[exchange](t, netns.Spec{Namespaces: ns}, r.child)
				t.Logf("nft took %v, then the client waited %v", time.Duration(got.RulesNS), time.Duration(got.NS))
				if got.Received != "POST" || !strings.HasSuffix(got.Error, r.want) {
					t.Errorf("%+v, want POST received and %q", got, r.want)
				}
			})
		}
	}
}

func childRefused(c *netns.Child, _ []string) (any, error) {
	// One script before the request, and no race with its repetition: the
	// first segment with data passes, from the second on they are refused.
	return exchangeUnder(c, func(port int) string {
		return fmt.Sprintf(`
			table ip lab {
				chain out { type filter hook output priority 0; tcp sport %[1]d drop; }
				chain in { type filter hook input priority 0;
					tcp dport %[1]d tcp flags & psh == psh limit rate over 1/day burst 1 packets reject with icmp port-unreachable; }
			}`, port)
	}, "")
}

func childTimedOut(c *netns.Child, _ []string) (any, error) {
	return exchangeUnder(c, func(port int) string {
		return fmt.Sprintf("table ip lab { chain out { type filter hook output priority 0; tcp sport %d drop; }; }", port)
	}, "add rule ip lab out tcp dport %d drop")
}

// exchangeUnder warms up a connection, loads the rules for the server's port,
// and sends a request; later, if any, are loaded once the server has it.
func exchangeUnder(c *netns.Child, rules func(port int) string, later string) (got exchange, err error) {
	if err := c.LoopbackUp(); err != nil {
		return got, err
	}
	client, server, err := connected()
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, client.Close(), server.Close()) }()
	buf := make([]byte, 64)
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		if _, err := way[0].Write([]byte("warm")); err != nil {
			return got, err
		}
		if _, err := way[1].Read(buf); err != nil {
			return got, err
		}
	}
	port := server.LocalAddr().(*net.TCPAddr).Port
	began := time.Now()
	if err := c.Firewall(context.Background(), rules(port)); err != nil {
		return got, err
	}
	got.RulesNS = time.Since(began).Nanoseconds()
	began = time.Now()
	if _, err := client.Write([]byte("POST")); err != nil {
		return got, err
	}
	n, err := server.Read(buf)
	if err != nil {
		return got, err
	}
	got.Received = string(buf[:n])
	if later != "" {
		if err := c.Firewall(context.Background(), fmt.Sprintf(later, port)); err != nil {
			return got, err
		}
	}
	if err := client.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		return got, err
	}
	_, readErr := client.Read(buf)
	got.Error, got.NS = fmt.Sprint(readErr), time.Since(began).Nanoseconds()
	return got, nil
}

// connected is both ends of a connection of which the client's kernel gives
// unacknowledged data 300 ms.
func connected() (client, server net.Conn, err error) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	dialer := net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var err error
		return errors.Join(raw.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 300)
		}), err)
	}}
	client, err = dialer.Dial("tcp4", ln.Addr().String())
	if err != nil {
		return nil, nil, errors.Join(err, ln.Close())
	}
	server, err = ln.Accept()
	return client, server, errors.Join(err, ln.Close())
}

func TestFirewallSaysWhatIsWrongWithRules(t *testing.T) {
	// Nor does it take a PATH to find nft: an ordinary user's lacks its folder.
	got := run[string](t, netns.Spec{Namespaces: netns.Network, Env: []string{"PATH=/nowhere"}}, "bad-rules")
	if !strings.Contains(got, "cannot load firewall rules: nft: exit status 1, having printed") || !strings.Contains(got, "syntax error") || strings.Contains(got, "\n") {
		t.Errorf("Firewall of no rules at all: %q", got)
	}
}

func childBadRules(c *netns.Child, _ []string) (any, error) {
	err := c.Firewall(context.Background(), "no rules at all")
	if err != nil && strings.Contains(err.Error(), "executable file not found") {
		return nil, err
	}
	return fmt.Sprint(err), nil
}

func TestFirewallWithoutNFTIsUnavailable(t *testing.T) {
	got := run[string](t, netns.Spec{Namespaces: every}, "no-nft")
	if want := `cannot load firewall rules: exec: "nft": executable file not found in $PATH`; got != want {
		t.Errorf("Firewall = %q, want %q", got, want)
	}
}

// childNoNFT hides every folder that nft could lie in.
func childNoNFT(c *netns.Child, _ []string) (any, error) {
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return nil, &netns.Unavailable{Step: "hide nft", Err: err}
	}
	for _, dir := range []string{"/usr/sbin", "/sbin"} {
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, ""); err != nil {
			return nil, &netns.Unavailable{Step: "hide nft", Err: err}
		}
	}
	if err := os.Setenv("PATH", "/usr/sbin:/sbin"); err != nil {
		return nil, err
	}
	return fmt.Sprint(c.Firewall(context.Background(), "")), nil
}

// Not even an nft that means well is believed: the case would wait for rules
// that are not there.
func TestFirewallSaysWhatAnNFTThatDoesNotWorkDid(t *testing.T) {
	rows := []struct{ why, script, want string }{
		{"it does nothing", "exit 0", "cannot load firewall rules: nft reports success, and the kernel was given no rules"},
		{"it hangs, and so does what it started", "/bin/sleep 600; exit 0", "cannot load firewall rules: nft does not end within 4s"},
		{"it leaves somebody behind who holds its output", "/bin/sleep 600 & exit 0", "cannot load firewall rules: nft: "},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "nft"), []byte("#!/bin/sh\n"+r.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			got := run[string](t, netns.Spec{Namespaces: netns.Network, Env: []string{"PATH=" + dir}}, "load-rules")
			if !strings.HasPrefix(got, r.want) {
				t.Errorf("Firewall = %q, want %q", got, r.want)
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func childLoadRules(c *netns.Child, _ []string) (any, error) {
	return fmt.Sprint(c.Firewall(context.Background(), "table ip lab { }")), nil
}

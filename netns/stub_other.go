//go:build !linux

// Compiled for darwin, windows and freebsd; not run on any of them yet.

package netns

import (
	"context"
	"errors"
	"io"
	"net/netip"
)

// A Child is the child's side of [Run]; there is none on this system.
type Child struct{}

// needsLinux is the reason why nothing here works.
func needsLinux(step string) error { return tried(step, errors.New("needs linux")) }

// Run fails with an [*Unavailable].
func Run(context.Context, Spec) ([]byte, error) {
	return nil, needsLinux("start a child process with its own namespaces or limits")
}

// Enter fails with an [*Unavailable].
func Enter() (*Child, error) { return nil, needsLinux("enter a child process") }

// Result takes no byte.
func (*Child) Result() io.WriteCloser { return noResult{} }

// Report returns err: nobody waits for it.
func (*Child) Report(err error) error { return err }

// LoopbackUp fails with an [*Unavailable].
func (*Child) LoopbackUp() error { return needsLinux("bring the loopback interface up") }

// Sysctl fails with an [*Unavailable].
func (*Child) Sysctl(string, string) error { return needsLinux("set a network parameter") }

// AddRoute fails with an [*Unavailable].
func (*Child) AddRoute(netip.Prefix, RouteKind) error { return needsLinux("add a route") }

// Firewall fails with an [*Unavailable].
func (*Child) Firewall(context.Context, string) error { return needsLinux("load firewall rules") }

// Resolver fails with an [*Unavailable].
func (*Child) Resolver(netip.Addr) error { return needsLinux("replace the resolver's files") }

// noResult is the answer of a child that cannot exist.
type noResult struct{}

func (noResult) Write([]byte) (int, error) { return 0, needsLinux("answer a parent") }
func (noResult) Close() error              { return nil }

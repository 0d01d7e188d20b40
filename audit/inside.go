package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"github.com/retry-lab/retry-lab/servers"
)

// ChildCommand is the word by which an audit starts this program once more, to
// run a case in a network of its own; what follows goes to [RunChild].
const ChildCommand = "audit-child"

// An inside is a network of its own, seen from the process in it.
type inside struct {
	resolver *servers.Resolver // nil: names are not the case's matter

	mu    sync.Mutex
	syns  []syn
	moved chan struct{} // closed at the next SYN, and made anew
}

// A syn is the first packet of a connection that a client tries.
type syn struct {
	at       time.Time
	from, to uint16 // ports
}

func newInside() *inside { return &inside{moved: make(chan struct{})} }

// enter notes a SYN, once for each port that it comes from: the kernel sends it
// again where nothing answers.
func (n *inside) enter(s syn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, known := range n.syns {
		if known.from == s.from && known.to == s.to {
			return
		}
	}
	n.syns = append(n.syns, s)
	close(n.moved)
	n.moved = make(chan struct{})
}

// to lists the SYNs to a port since a moment, before which they were the lab's
// own, and gives what closes at the next one.
func (n *inside) to(port int, since time.Time) ([]syn, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var list []syn
	for _, s := range n.syns {
		if int(s.to) == port && !s.at.Before(since) {
			list = append(list, s)
		}
	}
	return list, n.moved
}

// firstSYN waits for the first to a port; false if ctx ended first.
func (n *inside) firstSYN(ctx context.Context, port int, since time.Time) (time.Time, bool) {
	for {
		list, moved := n.to(port, since)
		if len(list) > 0 {
			return list[0].at, true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return time.Time{}, false
		}
	}
}

// drain returns when every packet that was sent before has been noted: the
// lab's own, to a port where nobody listens, is the last.
func (n *inside) drain(ctx context.Context) error {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", drainPort))
	if err == nil {
		return c.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	if _, ok := n.firstSYN(ctx, drainPort, time.Time{}); !ok {
		return fmt.Errorf("watch the packets of a private network: %w", err)
	}
	return nil
}

// drainPort is one that no server of ours has.
const drainPort = 1

// record enters what only this network shows. The lab's own knock at the end
// is no client's.
func (n *inside) record(o *Observation, s *site, sub subject, ms func(time.Time) float64) {
	o.Netns = true
	if list, _ := n.to(s.port, sub.began()); len(list) > 0 {
		o.SYNs, o.FirstMS = len(list)-s.knocks, ms(list[0].at)
	}
	if n.resolver != nil {
		o.Lookups = rounds(n.resolver.Queries())
	}
}

// rounds is how often the same was asked: a round asks for each type once.
func rounds(queries []servers.Query) int {
	most, asked := 0, map[[2]string]int{}
	for _, q := range queries {
		k := [2]string{q.Name, q.Type}
		asked[k]++
		most = max(most, asked[k])
	}
	return most
}

// A job is a run that a child is to make.
type job struct {
	Options Options
	Env     []string
	Path    string
	CA      string
	Files   map[Body]string
	Sums    map[Body]string
	Start   time.Duration
	Cut     time.Duration
	Case    string
	Run     int
}

// apart runs a case in a network of its own. The error is a
// *[netns.Unavailable] where this machine allows none.
func (l *lab) apart(ctx context.Context, c Case, run int) (Observation, error) {
	o := l.o
	o.Progress = nil
	text, err := json.Marshal(job{Options: o, Env: l.env, Path: l.path, CA: l.ca, Files: l.files, Sums: l.sums,
		Start: l.start, Cut: l.cut, Case: c.ID, Run: run})
	if err != nil {
		return Observation{}, err
	}
	file := filepath.Join(l.dir, fmt.Sprintf("job-%s-%d", filepath.Base(c.ID), run))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return Observation{}, err
	}
	spaces := netns.Network
	if c.Where == NoName {
		spaces |= netns.Mount
	}
	answer, err := netns.Run(ctx, netns.Spec{Args: []string{ChildCommand, file}, Namespaces: spaces})
	if err != nil {
		return Observation{}, err
	}
	var seen Observation
	if err := json.Unmarshal(answer, &seen); err != nil {
		return Observation{}, fmt.Errorf("answer of the child for %s: %w", c.ID, err)
	}
	return seen, nil
}

// RunChild is the whole of a child process, with what follows ChildCommand. It
// must come before anything that opens a descriptor or looks up a name.
func RunChild(ctx context.Context, args []string) error {
	child, err := netns.Enter()
	if err != nil {
		return err
	}
	seen, err := runChild(ctx, args, child)
	if err != nil {
		return child.Report(err)
	}
	return json.NewEncoder(child.Result()).Encode(seen)
}

func runChild(ctx context.Context, args []string, child *netns.Child) (_ Observation, err error) {
	if len(args) != 1 {
		return Observation{}, fmt.Errorf("want a job's file, not %q", args)
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return Observation{}, err
	}
	var j job
	if err := json.Unmarshal(text, &j); err != nil {
		return Observation{}, fmt.Errorf("job: %w", err)
	}
	c := caseOf(Cases(), j.Case)
	if err := child.LoopbackUp(); err != nil {
		return Observation{}, err
	}
	l := &lab{o: j.Options, cut: j.Cut, dir: filepath.Dir(args[0]), ca: j.CA, files: j.Files, sums: j.Sums, env: j.Env,
		path: j.Path, start: j.Start, spawner: newSpawner(), reaper: wholeReaper(), inside: newInside()}
	defer l.spawner.close()
	if c.Where == NoName {
		if l.inside.resolver, err = privateResolver(child); err != nil {
			return Observation{}, err
		}
		defer func() { err = errors.Join(err, l.inside.resolver.Close()) }()
	}
	stop, err := l.inside.listen()
	if err != nil {
		return Observation{}, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return l.once(ctx, c, j.Run, func() {}), nil
}

// privateResolver is one that knows no name, and that the whole child asks.
func privateResolver(child *netns.Child) (*servers.Resolver, error) {
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	if err := child.Resolver(loopback); err != nil {
		return nil, err
	}
	// Without a search list: glibc would ask the same again for one of ".".
	if err := os.WriteFile("/etc/resolv.conf", []byte("nameserver 127.0.0.1\n"), 0o644); err != nil {
		return nil, &netns.Unavailable{Step: "write a private resolv.conf", Err: err}
	}
	addr := netip.AddrPortFrom(loopback, 53).String()
	r, err := servers.NewResolver(servers.ResolverOptions{Addr: addr})
	if err != nil {
		return nil, &netns.Unavailable{Step: "run a resolver on " + addr, Err: err}
	}
	return r, nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/retry-lab/retry-lab/scripts/child"
)

// run lets the clients meet every fault, prints a line for each, and returns
// what did not hold.
func (p plan) run(ctx context.Context, stdout, stderr io.Writer) (complaints []string, err error) {
	server, err := child.Start(stderr, serveArg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	idle, err := warm(ctx, server)
	if err != nil {
		return nil, err
	}
	t := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "fault\tconnections\trequests\tmet\tin the ledger\tcommitted\tpeak MiB\tthen goroutines\tdescriptors")
	for _, f := range faults {
		s, err := p.one(ctx, server, f, idle)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", f.name, s.clients.connected, s.clients.asked, s.clients.met,
			s.after.Deliveries, s.after.Commits, s.after.Memory.Peak>>20, s.after.Goroutines, s.after.Descriptors)
		complaints = append(complaints, s.complaints(f, p.memory)...)
	}
	return complaints, t.Flush()
}

// warm is what the server holds when nobody is there: the goroutines from
// before the first client, and the descriptors after one of each fault, since
// what a process opens once, it has opened then.
func warm(ctx context.Context, server *child.Child) (idle count, err error) {
	for i, f := range faults {
		s, err := plan{conns: 1, time: time.Millisecond}.one(ctx, server, f, idle)
		if err != nil {
			return idle, err
		}
		if i == 0 {
			idle.Goroutines = s.before.Goroutines
		}
		idle.Descriptors = s.after.Descriptors
	}
	return idle, nil
}

// A soaked is one fault's run.
type soaked struct {
	clients       tally
	before, after count
	idle          count
}

// one lets the clients meet one fault, and waits until the server has nothing
// more to do.
func (p plan) one(ctx context.Context, server *child.Child, f fault, idle count) (s soaked, err error) {
	s.idle = idle
	var m made
	if err := server.Ask("call "+f.name, &m); err != nil {
		return s, err
	}
	if err := server.Ask("count", &s.before); err != nil {
		return s, err
	}
	over, cancel := context.WithTimeout(ctx, p.time)
	defer cancel()
	s.clients = crowd(over, p.conns, m, f)
	s.after, err = settled(ctx, server, idle)
	return s, err
}

// crowd is that many clients at once.
func crowd(ctx context.Context, n int, m made, f fault) tally {
	var all tally
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			t := client(ctx, m, f)
			mu.Lock()
			defer mu.Unlock()
			all.add(t)
		})
	}
	wg.Wait()
	return all
}

// settled is what the server counts once it is idle again, or after patience:
// then what is left tells what hangs. Of idle, what is zero is not known yet.
func settled(ctx context.Context, server *child.Child, idle count) (c count, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := server.Ask("count", &c); err != nil {
			return c, err
		}
		if !c.left(idle) {
			return c, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return c, nil
		}
	}
}

// left says that the server is not idle again.
func (c count) left(idle count) bool {
	return c.Open != 0 || c.InFlight != 0 ||
		idle.Goroutines != 0 && c.Goroutines != idle.Goroutines ||
		idle.Descriptors != 0 && c.Descriptors != idle.Descriptors
}

// complaints is one line for each thing that did not hold.
func (s soaked) complaints(f fault, memory uint64) []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, f.name+": "+fmt.Sprintf(format, args...)) }
	c, a := s.clients, s.after
	if c.failed > 0 {
		say("%d clients met something else, one of them: %v", c.failed, c.why)
	}
	if c.asked == 0 || c.met != c.asked || a.Deliveries != c.asked || a.Commits != c.asked {
		say("%d requests, of which %d met the fault, but %d deliveries and %d commits", c.asked, c.met, a.Deliveries, a.Commits)
	}
	if accepted := a.Connections - s.before.Connections; accepted != int64(c.connected) {
		say("%d connections, but %d accepted", c.connected, accepted)
	}
	if strays := a.Strays - s.before.Strays; strays != 0 {
		say("%d requests were no call's", strays)
	}
	if a.left(s.idle) {
		say("left: %d connections, %d deliveries; %d goroutines and %d descriptors, %d and %d when idle",
			a.Open, a.InFlight, a.Goroutines, a.Descriptors, s.idle.Goroutines, s.idle.Descriptors)
	}
	if a.Memory.Peak > memory {
		say("%d MiB of memory, more than %d", a.Memory.Peak>>20, memory>>20)
	}
	return lines
}

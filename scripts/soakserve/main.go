// Command soakserve holds the ledger of servers.Origin against its clients:
//
//	soakserve -conns 5000 -time 60s
//
// For each of the faults status, reset, slow and truncated it makes a call, and
// that many clients at once send POST after POST to it. A client sends until the
// time is over and then takes what its last request still has coming, so that
// what was sent, what the clients met and what the ledger holds must be the same
// number, one by one. The server is a process of its own; after each fault it
// must be back to the goroutines and descriptors that it had before the first,
// and never have used more memory than it may.
//
// It needs Linux's /proc. The exit code is 0 if all of that held, 1 if not, 2
// for wrong usage, 3 if the soak itself could not run, 130 if interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// serveArg makes this program the server.
const serveArg = "serve-until-stdin-ends"

func main() {
	if len(os.Args) == 2 && os.Args[1] == serveArg {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "soakserve:", err)
			os.Exit(3)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(soak(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// A plan is what is asked of the soak.
type plan struct {
	conns  int
	time   time.Duration // of each fault
	memory uint64        // bytes that the server may use
}

// soak reads the arguments, runs every fault and reports. It returns the exit
// code.
func soak(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var p plan
	flags := flag.NewFlagSet("soakserve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&p.conns, "conns", 5000, "`number` of connections at once")
	flags.DurationVar(&p.time, "time", time.Minute, "for how long, each fault")
	mib := flags.Uint64("memory", 300, "`MiB` that the server may use")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if p.conns < 1 || p.time <= 0 || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "soakserve: want at least one connection, a time above zero and no argument")
		return 2
	}
	p.memory = *mib << 20
	complaints, err := p.run(ctx, stdout, stderr)
	switch {
	case ctx.Err() != nil:
		return 130
	case err != nil:
		fmt.Fprintln(stderr, "soakserve:", err)
		return 3
	}
	for _, c := range complaints {
		fmt.Fprintln(stderr, "soakserve:", c)
	}
	if len(complaints) > 0 {
		return 1
	}
	return 0
}

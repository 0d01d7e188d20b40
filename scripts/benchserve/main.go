// Command benchserve measures servers.Origin against bare servers that do the
// same, in one run and in rounds that take turns:
//
//   - requests a second of /200, which enters each delivery in a ledger, against
//     net/http that answers as many bytes, under wrk;
//   - resets a second of /reset against a loop that accepts, reads the head and
//     resets; each reset is a read error of wrk's, which connects again;
//   - the memory of idle kept connections, each of which has had one answer,
//     against net/http.
//
// Every server is a process of its own, and so is wrk; the table also has the
// processor time that a request took the server's. The exit code is 0 if
// each median ratio reaches its target, 1 if one does not, 2 for wrong usage, 3
// if something could not be measured, 130 if interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// serveArg makes this program one of the servers.
const serveArg = "serve-until-stdin-ends"

func main() {
	if len(os.Args) == 3 && os.Args[1] == serveArg {
		if err := serve(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "benchserve:", err)
			os.Exit(3)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(bench(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// A plan is what is measured.
type plan struct {
	rounds int
	time   time.Duration // of one run of wrk
	conns  []int
	idle   int // connections
	stderr io.Writer
}

// bench reads the arguments, measures and reports. It returns the exit code.
func bench(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p, err := parse(args, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "benchserve:", err)
		return 2
	}
	if _, err := exec.LookPath("wrk"); err != nil && len(p.conns) > 0 {
		fmt.Fprintln(stderr, "benchserve: no wrk here; on Debian: apt-get install wrk")
		return 3
	}
	rows, err := p.measure(ctx)
	switch {
	case ctx.Err() != nil:
		return 130
	case err != nil:
		fmt.Fprintln(stderr, "benchserve:", err)
		return 3
	}
	if err := table(stdout, rows); err != nil {
		fmt.Fprintln(stderr, "benchserve:", err)
		return 3
	}
	if slices.ContainsFunc(rows, row.missed) {
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (plan, error) {
	p := plan{stderr: stderr}
	flags := flag.NewFlagSet("benchserve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&p.rounds, "rounds", 15, "`number` of rounds, in each of which both servers have a turn")
	flags.DurationVar(&p.time, "time", time.Second, "`time` of a turn, whole seconds")
	flags.IntVar(&p.idle, "idle", 10_000, "`number` of idle connections; 0: none")
	conns := flags.String("conns", "64,512", "`numbers` of wrk's connections; empty: no wrk")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	for _, word := range strings.FieldsFunc(*conns, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < threads {
			return p, fmt.Errorf("connections %q: want at least %d", word, threads)
		}
		p.conns = append(p.conns, n)
	}
	if p.rounds < 1 || p.time < time.Second || p.time%time.Second != 0 || p.idle < 0 || flags.NArg() > 0 {
		return p, fmt.Errorf("want at least one round of whole seconds, and no argument")
	}
	return p, nil
}

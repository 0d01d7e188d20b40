// Command soak runs `retry-lab check` again and again while busy loops keep
// every core of the machine occupied, and says whether a verdict ever changed:
//
//	soak -runs 200 -- bin/retry-lab check -o json
//	soak -runs 20 -- bin/retry-lab audit -o json -- curl -sS -f {url}
//
// The command must print the lab's JSON report (schema 1). That of an audit is
// compared with the first run's, verdict by verdict. The exit code is 0
// if every run agreed with the golden tables and was sound, 1 if one did not,
// 2 for wrong usage, 3 if the soak itself could not run, 130 if interrupted.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// spinArg makes this program one of its own busy loops.
const spinArg = "spin-until-stdin-ends"

func main() {
	if len(os.Args) == 2 && os.Args[1] == spinArg {
		spin(os.Stdin)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(soak(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// soak reads the arguments, keeps the machine busy, runs the command and
// reports. It returns the exit code.
func soak(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	runs := flags.Int("runs", 200, "`number` of runs")
	loops := flags.Int("loops", runtime.NumCPU(), "`number` of busy loops, each a process")
	limit := flags.Duration("limit", time.Minute, "longest `time` that one run may take")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *runs < 1 || *loops < 0 || *limit <= 0 || flags.NArg() == 0 {
		fmt.Fprintln(stderr, "soak: want at least one run, a limit above zero and a command after --")
		return 2
	}
	end, err := busy(*loops)
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 3
	}
	defer end()

	var t tally
	var first []audited
	every := max(*runs/10, 10) // runs between two lines of progress
	for i := range *runs {
		o := observe(ctx, *limit, flags.Args())
		if ctx.Err() != nil {
			break
		}
		if first == nil {
			first = o.cases
		}
		o.drifts = append(o.drifts, differing(first, o.cases)...)
		t.add(o)
		for _, line := range o.complaints() {
			fmt.Fprintf(stderr, "soak: run %d: %s\n", i+1, line)
		}
		if n := i + 1; n%every == 0 && n < *runs {
			fmt.Fprintf(stderr, "soak: %d of %d: %v\n", n, *runs, t)
		}
	}
	fmt.Fprintf(stdout, "%v, under %d busy loops\n", t, *loops)
	switch {
	case ctx.Err() != nil:
		return 130
	case t.bad > 0:
		return 1
	}
	return 0
}

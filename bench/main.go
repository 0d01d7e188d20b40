package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"text/tabwriter"

	"github.com/retry-lab/retry-lab/retry"
)

// What package retry may cost above net/http.
const (
	maxAllocs     = 8
	maxNS         = 1500
	maxLoopbackNS = 5000
	maxPutBytes   = 16 << 10
)

func main() {
	rounds := flag.Int("rounds", 10, "how often every client has its turn")
	requests := flag.Int("requests", 2000, "requests in a turn over loopback; ten times as many on the stub")
	flag.Parse()
	if *rounds < 1 || *requests < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bench: rounds and requests are at least 1, and there are no arguments")
		os.Exit(2)
	}
	ok, err := run(os.Stdout, *rounds, *requests)
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(3)
	}
	if !ok {
		os.Exit(1)
	}
}

// run measures and prints. It is false if package retry costs too much.
func run(w io.Writer, rounds, requests int) (ok bool, err error) {
	onStub, err := compare(clients(stub{}), "http://lab/", nil, rounds, 10*requests)
	if err != nil {
		return false, err
	}
	if err := show(w, "a base that answers at once", onStub); err != nil {
		return false, err
	}
	put, err := compare(clients(stub{}), "http://lab/", bytes.Repeat([]byte("x"), 1<<20), rounds, max(requests/20, 1))
	if err != nil {
		return false, err
	}
	if err := show(w, "the same, PUT of 1 MiB from memory", put); err != nil {
		return false, err
	}
	srv := newServer()
	defer srv.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	list := clients(base)
	counted := retry.Counting(base)
	defer counted.CloseIdleConnections()
	list[1].send = over(&retry.Transport{Base: counted})
	onLoopback, err := compare(list, srv.URL, nil, rounds, requests)
	if err != nil {
		return false, err
	}
	if err := show(w, "a server on loopback", onLoopback); err != nil {
		return false, err
	}
	return verdict(w, onStub[1], put[1], onLoopback[1])
}

// show prints one table.
func show(w io.Writer, title string, rows []row) error {
	fmt.Fprintf(w, "%s\n", title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tµs\tquartiles\tallocs\tbytes\t(in all)\t")
	for i, r := range rows {
		sign := "%+.2f\t%+.2f..%+.2f\t%+.0f\t%+.0f"
		if i == 0 {
			sign = "%.2f\t%.2f..%.2f\t%.0f\t%.0f"
		}
		fmt.Fprintf(t, "%s\t"+sign+"\t%.0f, %.0f\t\n", r.name, r.ns/1000, r.low/1000, r.high/1000, r.allocs, r.bytes, r.allAlloc, r.allMem)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// verdict says whether package retry keeps its word. The times are printed, and
// are no reason to fail: they are the machine's too.
func verdict(w io.Writer, onStub, put, onLoopback row) (bool, error) {
	ok := onStub.allocs <= maxAllocs+0.5 && put.bytes <= maxPutBytes
	word := "broken"
	if ok {
		word = "kept"
	}
	_, err := fmt.Fprintf(w, "retry: %+.0f allocations (at most %d), PUT %+.0f bytes (at most %d): %s; %+.2f µs (wanted: %.1f), over loopback %+.2f µs (wanted: %.1f)\n",
		onStub.allocs, maxAllocs, put.bytes, maxPutBytes, word, onStub.ns/1000, maxNS/1000.0, onLoopback.ns/1000, maxLoopbackNS/1000.0)
	return ok, err
}

package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/retry-lab/retry-lab/scripts/child"
	"github.com/retry-lab/retry-lab/servers"
)

// A count is what the server knows, since its start but for what is of the
// moment.
type count struct {
	// Of all clients.
	Connections int64
	Open        int64 // of the moment
	Strays      int64

	// Of the call.
	Deliveries int
	Commits    int
	InFlight   int // of the moment

	// Of the process, at the moment.
	Goroutines  int
	Descriptors int
	Memory      child.Memory
}

// A made is a call that was made.
type made struct {
	Addr string
	Path string
}

// serve is the server's process. It is asked to make a call of a fault, and
// then what it has counted.
func serve(in io.Reader, out io.Writer) (err error) {
	o, err := servers.OpenOrigin(servers.OriginOptions{})
	if err != nil {
		return err
	}
	defer o.Close()
	var call *servers.Call
	return child.Answer(in, out, func(question string) (any, error) {
		if fault, ok := strings.CutPrefix(question, "call "); ok {
			if call, err = o.Create(script(fault)); err != nil {
				return nil, err
			}
			return made{o.Addr(), strings.TrimPrefix(call.URL(), o.URL())}, child.ResetPeak()
		}
		if question != "count" || call == nil {
			return nil, fmt.Errorf("unknown question")
		}
		return counted(o, call)
	})
}

// script commits whatever the fault then does: the work is in the counts too.
func script(fault string) servers.Script {
	return servers.Script{Steps: []servers.Step{{Fault: fault, Commit: servers.CommitBefore}}}
}

func counted(o *servers.Origin, call *servers.Call) (count, error) {
	descriptors, err := child.Descriptors()
	if err != nil {
		return count{}, err
	}
	all, one := o.Stats(), call.Record()
	return count{
		Connections: all.Connections, Open: all.OpenConnections, Strays: all.Strays,
		Deliveries: one.Deliveries, Commits: one.Commits, InFlight: one.InFlight,
		Goroutines: runtime.NumGoroutine(), Descriptors: descriptors, Memory: child.MeasureMemory(),
	}, nil
}

package cmd

import (
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/explain"
)

// evidence is what an answer rests on, what it leaves open, and what to do:
// a name and a safe text each, none empty.
func evidence(x *explain.Answer) [][2]string {
	all := [][2]string{
		{"said by", speaker(x)},
		{"host", x.Host},
		{"method", x.Method},
		{"syscall", string(x.Syscall)},
		{"why", x.Why},
		{"basis", basis(x)},
		{"reason", reason(x)},
		{"wait", wait(x)},
		{"retries", x.OwnRetries},
		{"open", x.Open},
		{"settled by", x.Settle},
		{"do", x.Action()},
		{"see it", labCommand(x)},
		{"nearest", nearest(x)},
	}
	said := all[:0]
	for _, line := range all {
		if line[1] != "" {
			said = append(said, [2]string{line[0], safe(line[1])})
		}
	}
	return said
}

var speakers = map[explain.Speaker]string{
	explain.ByClient:  "the client",
	explain.ByLibrary: "a library around the client",
	explain.ByGateway: "a gateway, about its upstream",
	explain.ByServer:  "the server",
	explain.ByDriver:  "the driver",
}

func speaker(x *explain.Answer) string {
	if x.Code == classifier.Unknown && x.Runtime == "" {
		return ""
	}
	who := speakers[x.SaidBy]
	if x.Runtime == "" {
		return who
	}
	if x.Version != "" {
		return who + ": " + x.Runtime + " " + x.Version
	}
	return who + ": " + x.Runtime
}

func basis(x *explain.Answer) string {
	if x.Code == classifier.Unknown {
		return ""
	}
	switch x.Certainty {
	case explain.Proved:
		return string(x.Basis) + "; the phase is proved by the text"
	case explain.Likely:
		return string(x.Basis) + "; the phase is likely: usual for this text, not stated in it"
	}
	return string(x.Basis) + "; the phase is open: the text does not tell"
}

// reason is the rule behind the bare POST's verdict.
func reason(x *explain.Answer) string {
	sentence := x.Reason.Sentence()
	if sentence == "" || sentence == x.Why {
		return string(x.Reason)
	}
	return string(x.Reason) + ": " + sentence
}

func wait(x *explain.Answer) string {
	switch {
	case x.WaitMS != nil:
		return (time.Duration(*x.WaitMS) * time.Millisecond).String() + ", as the text says"
	case x.Post == explain.CellWait || x.Get == explain.CellWait:
		return "the text names no time: back off"
	}
	return ""
}

func labCommand(x *explain.Answer) string {
	if x.LabCase == "" {
		return ""
	}
	return "retry-lab run " + x.LabCase
}

// nearest are the entries that share most words with an unknown text, each with
// what it looks like.
func nearest(x *explain.Answer) string {
	var texts []string
	for _, id := range x.Nearest {
		text := id
		for _, e := range explain.Entries() {
			if e.ID == id {
				text += " (" + explain.Quote([]byte(e.Example), mostQuoted) + ")"
			}
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

package explain

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/retry-lab/retry-lab/classifier"
)

// LogOptions are the choices of [Log]. The zero value is good.
type LogOptions struct {
	// Workers is how many chunks of the log are read at once; 0 or less means
	// one for every processor that the program may use.
	Workers int

	// Now is the time now. It gives a year to times without one: they are
	// taken to be of the year before it. The zero value leaves the year 0.
	Now time.Time

	// Follow hands on what was read at once, instead of waiting for more.
	Follow bool

	// OnRecord is told of every failure, in the log's order, by one goroutine.
	OnRecord func(LogRecord)

	// OnProgress is told from time to time how many bytes are done.
	OnProgress func(bytes int64)
}

// LogRecord is one failure in a log.
type LogRecord struct {
	// Offset is where its first line begins, in bytes of the log.
	Offset int64 `json:"offset"`

	// Time is that of the line; zero, and not in JSON, where it has none.
	Time   time.Time `json:"time,omitzero"`
	Answer Answer    `json:"answer"`

	// Text is the record as [Quote] shows it, cut to 512 bytes.
	Text string `json:"text"`

	text []byte // of the chunk, before it is made safe
}

// Summary is what a log holds.
type Summary struct {
	Schema  int     `json:"schema"`
	Bytes   int64   `json:"bytes"`
	Records int64   `json:"records"`
	Groups  []Group `json:"groups"`

	// SafePost is how many of the records were safe to send again as a bare
	// POST, at once, after a pause or with one thing changed.
	SafePost int64 `json:"safe_post"`
}

// Group is the failures of a log that have the same code, phase, runtime and
// host. Groups are sorted by their count, the largest first.
type Group struct {
	Code    classifier.Code  `json:"code"`
	Phase   classifier.Phase `json:"phase"`
	Runtime string           `json:"runtime"`

	// Host is "*" where the log named too many hosts to tell them apart.
	Host     string `json:"host"`
	Count    int64  `json:"count"`
	SafePost int64  `json:"safe_post"`

	// First and Last are the least and the greatest time; zero, and not in
	// JSON, where no line has one.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`

	// Example is the first record's answer and text.
	Example LogRecord `json:"example"`
}

// Log finds the failures among the lines of a log and groups them. It reads r
// to its end in bounded memory; lines may be of any length, of which no more
// than 64 KiB belong to one record. A compressed log has to go through [Decompress].
//
// When ctx ends, or r fails, the summary is of what was read, and the error
// says so. A record that is a continuation of nothing, or that was cut, is
// read as it stands.
func Log(ctx context.Context, r io.Reader, o LogOptions) (Summary, error) {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	p := newPipeline(workers)
	go p.read(ctx, r, o.Follow)
	for range workers {
		go p.work(&o)
	}
	t := tally{groups: map[groupKey]*Group{}}
	for c := range p.order {
		<-c.done
		t.add(c, &o)
		p.free <- c
	}
	s := t.summary()
	if p.err != nil {
		return s, fmt.Errorf("read the log: %w", p.err)
	}
	return s, nil
}

package servers

import "time"

// How a delivery left its connection. Over HTTP/2 a stream that was reset is
// rst, though its connection goes on; one that a GOAWAY ended is fin.
const (
	EndedFIN     = "fin"     // closed in order, by either side
	EndedRST     = "rst"     // reset, by either side
	EndedKept    = "kept"    // still usable when the answer was complete
	EndedStalled = "stalled" // never answered, open until the server or the client gave up
)

// A Delivery is one request, or the part of it, that reached a server.
type Delivery struct {
	N          int     `json:"n"`          // from 1, in order of the first byte
	Attempt    int     `json:"attempt"`    // the client's, from the header Retry-Lab-Attempt; 0: not said
	Connection int     `json:"connection"` // from 1, in order of accept
	Reused     bool    `json:"reused"`     // not the first on its connection
	AtMS       float64 `json:"at_ms"`      // first byte, ms since the record's epoch
	Method     string  `json:"method"`     // empty: the head was not complete
	Path       string  `json:"path"`
	Key        string  `json:"key"` // Idempotency-Key; whoever prints it masks it
	BodyBytes  int64   `json:"body_bytes"`
	BodySHA256 string  `json:"body_sha256"` // of what was read; empty where nothing was
	Complete   bool    `json:"complete"`    // head and whole body were read
	Committed  bool    `json:"committed"`   // the side effect happened, then or later
	Answered   int     `json:"answered"`    // status whose head was sent; 0: none
	Ended      string  `json:"ended"`       // fin, rst, kept, stalled
	Replay     bool    `json:"replay"`      // same attempt, method, path and key as an earlier delivery: the transport's own

	At          time.Time `json:"-"`
	CommittedAt time.Time `json:"-"` // zero: never
	AnsweredAt  time.Time `json:"-"` // zero: never
	EndedAt     time.Time `json:"-"` // zero: it had not when the ledger was read
	HeadBytes   int       `json:"-"` // read of the head, complete or not; over HTTP/2 the size of its fields
}

// WarmUpPath is where a client makes its connections ready or busy. What is
// asked there is in the ledger, and is no part of what a row asks.
const WarmUpPath = "/warm-up"

// WarmUp says that the delivery only made a connection ready or busy.
func (d Delivery) WarmUp() bool { return d.Path == WarmUpPath }

// answer enters an answer's head; status 0 is only bytes. A client that had
// gone has ended the connection, whatever it was sent.
func (d *Delivery) answer(status int, kept, gone bool) {
	if status != 0 && d.Answered == 0 {
		d.Answered, d.AnsweredAt = status, time.Now()
	}
	switch {
	case gone && d.Ended == EndedStalled:
		d.Ended = EndedFIN
	case kept:
		d.Ended, d.EndedAt = EndedKept, d.AnsweredAt
	}
}

// A Connection is one accepted connection.
type Connection struct {
	N          int
	Port       int // the client's
	OpenedAt   time.Time
	Deliveries int
}

// A Record is a ledger at one moment: a copy, free to keep.
type Record struct {
	Connections []Connection
	Deliveries  []Delivery
	// Dropped counts deliveries and connections past the ledger's bound.
	Dropped int
}

// Asked lists the deliveries that are no warm-ups.
func (r Record) Asked() []Delivery {
	var asked []Delivery
	for _, d := range r.Deliveries {
		if !d.WarmUp() {
			asked = append(asked, d)
		}
	}
	return asked
}

// Committed counts the deliveries whose side effect happened.
func (r Record) Committed() int {
	n := 0
	for _, d := range r.Deliveries {
		if d.Committed {
			n++
		}
	}
	return n
}

// Replays counts the deliveries that no attempt of the caller's asked for.
func (r Record) Replays() int {
	n := 0
	for _, d := range r.Deliveries {
		if d.Replay {
			n++
		}
	}
	return n
}

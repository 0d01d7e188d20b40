package audit

// An Observation is one run of a case, after its last process was gone. Times
// are in milliseconds since the command was started.
type Observation struct {
	Case    string
	Run     int // from 0
	Sent    Request
	BodySum string // SHA-256 of the body that was to be sent

	// Ledger holds the deliveries of the case's calls in order, warm-ups not
	// among them.
	Ledger      []Delivery
	Tokens      []string // of the ledger's deliveries: what their answers held
	Deliveries  int      // also those past the ledger's bound
	Commits     int      // side effects
	WarmUps     int
	Connections int // opened to the server, whatever came over them

	// FirstMS is when the command was first heard of: its first delivery, or
	// where there can be none, its first SYN. -1: never.
	FirstMS float64

	Exited  bool    // by itself, before the cut
	Exit    int     // its exit code, 128 and more for a signal
	EndedMS float64 // when it had ended, or was killed
	CutMS   float64 // when it would have been cut

	Cut    bool // alive at the cut
	Asleep bool // alive at the cut, with nothing in flight since the last answer
	Early  bool // killed once it had shown enough

	Output  string // what it printed, bounded
	Printed int64  // how much that was
	Flooded bool   // so much that it was killed

	// WaitUntilMS is the earliest moment of the next delivery that the server
	// asked for as a date; zero: none.
	WaitUntilMS float64

	Lookups int  // of the name, in rounds
	SYNs    int  // connections that were tried
	Netns   bool // it ran in a network of its own, where those two are counted

	// AtOnce: in this case, what follows a connection that died follows at once.
	// Surely: in so many runs that a policy with jitter does not do that.
	AtOnce, Surely bool

	// Skipped says why it was not run.
	Skipped string
	// Broken says why it shows nothing: what failed was the lab, or the start of
	// the command.
	Broken string
}

// A Delivery is a request that reached the server.
type Delivery struct {
	N           int     `json:"n"`
	Hop         int     `json:"hop"` // 0: the call; 1: where it was redirected to
	AtMS        float64 `json:"at_ms"`
	AnsweredMS  float64 `json:"answered_ms"` // -1: not
	EndedMS     float64 `json:"ended_ms"`    // -1: not
	Connection  int     `json:"connection"`
	Reused      bool    `json:"reused"`
	Proto       string  `json:"proto"`
	Method      string  `json:"method"`
	Key         string  `json:"key"` // masked in a Result
	BodyBytes   int64   `json:"body_bytes"`
	BodySHA256  string  `json:"body_sha256"`
	Complete    bool    `json:"complete"`
	Committed   bool    `json:"committed"`
	Fault       string  `json:"fault"`
	Answered    int     `json:"answered"`
	AnsweredAll bool    `json:"answered_all"`
	Ended       string  `json:"ended"`
	Kind        Kind    `json:"kind"`
}

// Kind is what made a delivery.
type Kind string

// The kinds of deliveries.
const (
	First        Kind = "first"
	PolicyRetry  Kind = "retry"         // the client's policy
	ReplayReused Kind = "replay-reused" // the transport, when a kept-alive connection died
	ReplayFresh  Kind = "replay-fresh"  // the transport, on a connection's first request
	Followed     Kind = "redirect"      // the way that a redirect pointed
	AfterEnd     Kind = "after-end"     // when the command had ended
)

// over is when the client could know that d had failed.
func (d Delivery) over() float64 {
	switch {
	case d.Answered != 0 && d.AnsweredAll && d.AnsweredMS >= 0:
		return d.AnsweredMS
	case d.EndedMS >= 0:
		return d.EndedMS
	case d.AnsweredMS >= 0:
		return d.AnsweredMS
	}
	return d.AtMS
}

// accepted: the server answered 2xx to the whole of the request.
func (d Delivery) accepted() bool { return d.Complete && d.Answered/100 == 2 }

// succeeded: and that answer was complete.
func (d Delivery) succeeded() bool { return d.accepted() && d.AnsweredAll }

// gap is the pause between what is known to the client to have failed and the
// next delivery.
func gap(from, to Delivery, timeoutMS int) float64 {
	end := from.over()
	if end > to.AtMS { // the client had left it, and kept its connection
		end = from.AtMS + float64(timeoutMS)
	}
	return max(0, to.AtMS-end)
}

// gaps are those between the deliveries to one hop after another.
func (o Observation) gaps() []float64 {
	list := []float64{}
	for i := 1; i < len(o.Ledger); i++ {
		list = append(list, gap(o.Ledger[i-1], o.Ledger[i], o.Sent.TimeoutMS))
	}
	return list
}

// startedLate: of a command that needs startMS to start, so much of the time
// was over before it was heard of that the cut says nothing.
func (o Observation) startedLate(startMS float64) bool {
	return o.Cut && o.FirstMS > max(o.CutMS/2, 2*startMS)
}

// dateMissed: the server's date was all but past when the client could read it.
func (o Observation) dateMissed() bool {
	return o.WaitUntilMS > 0 && len(o.Ledger) > 0 && o.Ledger[0].over() > o.WaitUntilMS-1000
}

// hop lists the deliveries to one of the case's calls.
func (o Observation) hop(n int) []Delivery {
	var list []Delivery
	for _, d := range o.Ledger {
		if d.Hop == n {
			list = append(list, d)
		}
	}
	return list
}

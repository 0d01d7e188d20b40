package audit

import (
	"slices"

	"github.com/retry-lab/retry-lab/servers"
)

// A Case is one question to a client.
type Case struct {
	ID    string // group/name
	Title string // what happens to the request, in a sentence
	Wants string // what a client is expected to do: the Result's Expected
	Fix   string // what to change where it does otherwise; a Grade may know better

	Request Request
	Where   Where

	// Scripts are what the deliveries meet, the call first and then what it is
	// redirected to ({next} in a header stands for that URL). Variants has
	// several such lists, of which a run takes the next in turn.
	Scripts  []servers.Script
	Variants [][]servers.Script

	// Runs is how often it is run, Quick how often with Options.Quick; zero is
	// once.
	Runs, Quick int

	// Pool names the case whose runs it is graded by, its own among them; empty:
	// it has runs of its own.
	Pool string

	// Control is the kind of failure that the client must be seen to retry, lest
	// a pass mean nothing: Retry503, RetryReset or RetryTimeout; empty: none.
	Control string

	// Redirected: the client must follow a redirect.
	Redirected bool

	// Long: a client may sleep, so that it is started early.
	Long bool

	// Timed: short pauses are measured, so that few other commands may start
	// meanwhile.
	Timed bool

	Grade func(Facts, []Observation) Grade

	// enough says when a run has shown all that it can; nil: at its end.
	enough func(run int, seen []Delivery) bool
}

// A Request is what the command is asked to send.
type Request struct {
	Method     string
	AnyMethod  bool // the case asks the same whatever method is sent
	Keyed      bool // with an Idempotency-Key
	Body       Body
	TimeoutMS  int // per attempt; zero: TimeoutMS or AmpleMS
	DeadlineMS int // for all attempts; zero: none
	Warm       bool
}

// What a client is told, unless a case says otherwise: how long an attempt may
// take, where some attempt is never answered and where all are, how long the
// first backoff is to be, and how many retries there are to be. An attempt that
// is answered has time enough on a busy machine.
const (
	TimeoutMS = 1000
	AmpleMS   = 8000
	BaseMS    = 200
	Retries   = 3
)

// A Body is what a request carries.
type Body string

// The bodies.
const (
	NoBody Body = ""
	Small  Body = "small"  // a line of JSON, from a file
	Large  Body = "large"  // 1 MiB, from a file
	Stream Body = "stream" // 1 MiB that is to be read once, as it is sent
)

// Where is what kind of server a case has.
type Where string

// The servers of the cases.
const (
	Plain     Where = ""          // HTTP/1.1 (and HTTP/2 with prior knowledge)
	OverTLS   Where = "tls"       // HTTP/1.1 or HTTP/2 by ALPN, trusted by {ca_file}
	OverH2    Where = "h2"        // the same, and the client must speak HTTP/2
	Untrusted Where = "untrusted" // a certificate that {ca_file} does not vouch for
	Refused   Where = "refused"   // nobody listens, and later somebody does
	Backlog   Where = "backlog"   // a full accept queue, and later an accepting server
	NoName    Where = "no-name"   // a name that does not exist
)

// The kinds of failure that a control asks about.
const (
	Retry503     = "503"
	RetryReset   = "reset"
	RetryTimeout = "timeout"
)

// variant is what the deliveries of a run meet.
func (c Case) variant(run int) []servers.Script {
	if len(c.Variants) == 0 {
		return slices.Clone(c.Scripts)
	}
	return slices.Clone(c.Variants[run%len(c.Variants)])
}

// times is how often the case is run.
func (c Case) times(quick bool) int {
	n := c.Runs
	if quick {
		n = c.Quick
	}
	return max(n, 1)
}

package explain

import "github.com/retry-lab/retry-lab/classifier"

// Entry is one thing that a runtime prints, and what it means.
type Entry struct {
	// ID names the entry: runtime, slash, a few words. It is unique.
	ID string

	// Match holds the literals that must all be in the record. The first is
	// the anchor: where it stands, the entry stands. In each, | separates
	// alternatives. A leading ! means that it must not be there, a leading ~
	// that it must follow the anchor closely. A * at an end lets the literal
	// begin or end inside a word. A literal in lower case matches any case.
	Match []string

	// Role is what the entry tells. Rank orders those of one record, 0 is the
	// role's own.
	Role Role
	Rank Rank

	// Code, Syscall and Phase are what the text states. Usually is the phase
	// where no clue in the record says otherwise.
	Code    classifier.Code
	Syscall classifier.Syscall
	Phase   classifier.Phase
	Usually classifier.Phase

	// Processed is stated where it differs from what code and phase imply.
	Processed classifier.Processed

	// Like is the code whose rule decides, where the text says more about
	// sending again than the code does. Empty: the code's own.
	Like classifier.Code

	// Reads is what is read beside the anchor: a status, an HTTP/2 error code.
	Reads Reading

	// Timed: a deadline can end the call that this clue names, so that a timer
	// is a failure of the call.
	Timed bool

	// Wait: load is being limited or shed, so send again after a pause.
	Wait bool

	// Quiet: not searched for in logs, because too many innocent lines have it.
	Quiet bool

	Version string // the versions that print it, where that shows
	Why     string // the proof in the text, or the trap
	Open    string // what the text leaves open
	Settle  string // what would settle it
	Source  string // where it is written
	Example string // a text that shows it
}

// Role is what an entry tells about a record.
type Role uint8

const (
	Cause   Role = iota // what failed
	Wrapper             // that something failed; counts where no cause is found
	Clue                // how far the call had come
	Foreign             // the line is a server's own, about no call of ours
	Earlier             // there were earlier attempts, whose outcome is hidden
	Pause               // how long to wait before sending again
	Mark                // an intermediary made the answer
)

// String is the role's word in the documentation.
func (r Role) String() string {
	return [...]string{"cause", "wrapper", "clue", "foreign", "earlier", "pause", "mark"}[r]
}

// Rank orders the entries that fit one record: the highest names the failure.
// For clues it is how strongly the clue speaks.
type Rank int8

// The ranks of causes.
const (
	rankWrapper Rank = 10 // says only that something failed
	rankNumber  Rank = 14 // a bare number, which may be anything
	rankName    Rank = 20 // an errno's name without the call that failed
	rankTimer   Rank = 25 // a timer's suffix around the real cause
	rankNoise   Rank = 28 // a failed side way, as IPv6 without a route
	rankCause   Rank = 30
	rankBroken  Rank = 34 // what the client makes of the cause
	rankStatus  Rank = 40 // a library says that an answer came
	rankForeign Rank = 60
)

// The ranks of clues.
const (
	clueWeak    Rank = 30
	clueRead    Rank = 50
	clueWrite   Rank = 55
	clueProxy   Rank = 60
	clueDial    Rank = 70
	clueLookup  Rank = 80
	clueTLS     Rank = 85
	clueBody    Rank = 90 // an answer had begun
	clueCertain Rank = 95
)

// Reading is what is read from the text beside the anchor.
type Reading uint8

const (
	nothing       Reading = iota
	statusAfter           // three digits after the anchor
	statusBefore          // three digits before it
	statusAlone           // three digits after the anchor, and no word after them
	statusIn              // the anchor begins with them
	statusTimed           // three digits after three times in a row, as a load balancer logs them
	proxyAfter            // what a proxy answered to CONNECT, after the anchor
	h2After               // the name or number of an HTTP/2 error code
	cutName               // a field name that breaks off
	handshakeLine         // a line of CPython's _ssl.c that is in its handshake
	countAfter            // how many attempts there were, two or more
	countBefore           // the same, before the anchor
	timeAfter             // a time with its unit, seconds where it has none
	millisAfter           // milliseconds
	errorNumber           // the anchor is a number, which words before it call an error
	happened              // the anchor tells an event, and is no setting
	lookedUp              // the name of a host follows, as Go prints it
)

// Table is what is known about one runtime.
type Table struct {
	// Runtime is its name in answers. Empty: common to all.
	Runtime string
	Title   string
	SaidBy  Speaker

	// Retries says what this runtime may already have done by itself.
	Retries string

	// Marks are literals that show that this runtime printed the text.
	Marks []string

	Entries []Entry
}

// Speaker is who wrote the text.
type Speaker string

const (
	ByClient  Speaker = "client"  // the HTTP client itself
	ByLibrary Speaker = "library" // something built on one
	ByGateway Speaker = "gateway" // a proxy or balancer, about its upstream
	ByServer  Speaker = "server"  // an answer, or a server's own log
	ByDriver  Speaker = "driver"  // a client of a database or queue
)

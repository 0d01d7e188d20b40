package audit

// A Verdict is what a case found.
type Verdict string

// The verdicts, the worst first.
const (
	Danger  Verdict = "danger"  // the work done twice, another body or key, success without an answer
	Harm    Verdict = "harm"    // waits ignored, asleep, no backoff, no bound, a deterministic failure retried
	Weak    Verdict = "weak"    // what is safe to send again was not
	Pass    Verdict = "pass"    // as expected
	Vacuous Verdict = "vacuous" // as expected, of a client that retries nothing of this kind
	NA      Verdict = "n.a."    // it cannot be asked, and why
)

// Verdicts lists them, the worst first.
func Verdicts() []Verdict { return []Verdict{Danger, Harm, Weak, Pass, Vacuous, NA} }

// Worse reports whether v is worse than w.
func (v Verdict) Worse(w Verdict) bool { return v.rank() < w.rank() }

func (v Verdict) rank() int {
	for i, w := range Verdicts() {
		if v == w {
			return i
		}
	}
	return len(Verdicts())
}

// A Grade is what a case's function makes of its observations.
type Grade struct {
	Verdict  Verdict
	Observed string // what was seen, in a sentence
	Fix      string // empty: the case's
	Runs     int    // of how many observations it is the verdict
	Proof    int    // the observation that shows it
}

// A Result is one case, graded.
type Result struct {
	ID         string     `json:"id"`
	Verdict    Verdict    `json:"verdict"`
	Runs       int        `json:"runs"` // with this verdict
	Of         int        `json:"of"`
	Expected   string     `json:"expected"`
	Observed   string     `json:"observed"`
	Deliveries int        `json:"deliveries"` // of the run that shows it, as all below
	Commits    int        `json:"commits"`
	GapsMS     []float64  `json:"gaps_ms"`
	KeysSame   bool       `json:"keys_same"`
	BodiesSame bool       `json:"bodies_same"`
	Reused     bool       `json:"reused"` // the first delivery came over a connection that had served before
	Cut        bool       `json:"cut"`
	Fix        string     `json:"fix"` // empty where there is nothing to change
	Counts     Counts     `json:"counts"`
	Ledger     []Delivery `json:"ledger"`
	Printed    string     `json:"printed"` // what the command printed, the beginning of it
	Exit       *int       `json:"exit"`    // null: it was killed
}

// Counts tells the deliveries of a run apart.
type Counts struct {
	Retries        int `json:"retries"`
	ReplaysReused  int `json:"replays_reused"`
	ReplaysFresh   int `json:"replays_fresh"`
	AfterEnd       int `json:"after_end"`
	RedirectsTaken int `json:"redirects"`
}

// A Report is one audit.
type Report struct {
	Schema    int       `json:"schema"`
	Client    string    `json:"client"`
	Command   []string  `json:"command"`
	Notes     []string  `json:"notes"` // what holds for all cases
	Profile   Profile   `json:"profile"`
	Cases     []Result  `json:"cases"`
	Drift     []Drift   `json:"drift"`    // from the baseline; a worse verdict
	Improved  []Drift   `json:"improved"` // a better one
	Usable    bool      `json:"usable"`   // control/ok passed
	Broken    []string  `json:"broken"`   // the cases of which the lab could not run all
	ElapsedMS float64   `json:"elapsed_ms"`
	Quick     bool      `json:"quick"`
	Summary   []Counted `json:"summary"`
}

// Counted is how many cases have a verdict.
type Counted struct {
	Verdict Verdict `json:"verdict"`
	Cases   int     `json:"cases"`
}

// A Drift is a case whose verdict is not the baseline's.
type Drift struct {
	ID   string `json:"id"`
	Want string `json:"want"`
	Got  string `json:"got"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// A Profile is how the client's policy looked, as facts without a verdict.
type Profile struct {
	StartMS    float64   `json:"start_ms"`       // from its start to its first request
	Deliveries int       `json:"deliveries"`     // of a call that always fails; 0: not seen
	Bounded    bool      `json:"bounded"`        // it ended by itself
	MedianGaps []float64 `json:"median_gaps_ms"` // by place
	Jitter     float64   `json:"jitter"`         // the spread of the first gaps, over their median
	Growth     float64   `json:"growth"`         // of the second median gap over the first
	CapMS      float64   `json:"cap_ms"`         // the longest median gap
	HTTP2      bool      `json:"http2"`
}

// Worst is the worst verdict of the report.
func (r Report) Worst() Verdict {
	worst := NA
	for _, c := range r.Cases {
		if c.Verdict.Worse(worst) {
			worst = c.Verdict
		}
	}
	return worst
}

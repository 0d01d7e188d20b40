package servers

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// When a step commits, by its word in a script.
const (
	CommitBefore = "before" // once the request is complete, before the delay and the fault
	CommitAfter  = "after"  // once the fault is over, whatever the client has made of it
	CommitNone   = "never"
)

// What a script may hold.
const (
	MaxSteps      = 100
	MaxDelay      = 10 * time.Minute
	MaxStepBody   = 1 << 20 // bytes of one step's answer
	MaxStepFields = 50      // header fields of one step's answer
	MaxScript     = 4 << 20 // bytes of a whole script, as JSON
)

// A Script is one call's faults by delivery number: the first delivery meets
// the first step, and the last step is met by all that come after.
type Script struct {
	// ID names the call: 1 to 64 letters, digits, '.', '_', '~', '-', the first
	// a letter or digit. Empty: one is drawn.
	ID string `json:"id,omitempty"`

	Steps []Step `json:"steps"`

	// IgnoreKeys: a request sent again with its Idempotency-Key commits again.
	// Else it commits once a key.
	IgnoreKeys bool `json:"ignore_keys,omitempty"`
}

// A Step is what one delivery meets. In JSON a bare string is its Fault.
type Step struct {
	// Fault is a final status, "200" to "999", or the name of one of [Faults].
	Fault string `json:"fault"`

	// DelayMS passes between the request's last byte and the fault, in
	// milliseconds; at most ten minutes.
	DelayMS float64 `json:"delay_ms,omitempty"`

	// PaceMS passes before each tenth of the answer of the fault "slow"; zero
	// means 100.
	PaceMS float64 `json:"pace_ms,omitempty"`

	// Header and Body are the answer's, where the fault has one. In both,
	// {call}, {delivery} and {token} stand for the call's id, and the
	// delivery's number and token. An empty body is, for a 2xx, a line of JSON
	// with all three, and else one that names the fault.
	Header map[string]string `json:"header,omitempty"`
	Body   string            `json:"body,omitempty"`

	// Commit is when the side effect happens: CommitBefore, CommitAfter or
	// CommitNone. Empty: a 2xx commits before its answer, nothing else does.
	Commit string `json:"commit,omitempty"`
}

// A ScriptError says which field of a script no call can have, and why.
type ScriptError struct {
	Field string // as in the JSON: "steps[2].fault"
	Why   string
}

func (e *ScriptError) Error() string { return e.Field + ": " + e.Why }

// step is a step made ready.
type step struct {
	Step
	kind   *kind
	status int         // of a fault that is a status; 0: another
	header http.Header // the answer's, with its type
	fill   bool        // header or body has a placeholder
	before bool        // commits before
	after  bool
}

// compile makes a script's steps ready, or says what is wrong with them.
func (s Script) compile() ([]step, error) {
	if s.ID != "" && !validID(s.ID) {
		return nil, &ScriptError{"id", "want 1 to 64 letters, digits, '.', '_', '~', '-', the first a letter or digit"}
	}
	if len(s.Steps) == 0 || len(s.Steps) > MaxSteps {
		return nil, &ScriptError{"steps", fmt.Sprintf("%d steps: want 1 to %d", len(s.Steps), MaxSteps)}
	}
	steps := make([]step, len(s.Steps))
	for i, given := range s.Steps {
		made, err := given.compile()
		if err != nil {
			return nil, &ScriptError{fmt.Sprintf("steps[%d].%s", i, err.Field), err.Why}
		}
		steps[i] = made
	}
	return steps, nil
}

func (s Step) compile() (step, *ScriptError) {
	k, status := kindOf(s.Fault)
	switch {
	case k == nil:
		return step{}, &ScriptError{"fault", fmt.Sprintf("unknown fault %q: want a status, 200 to 999, or one of %s",
			cutWord(s.Fault), strings.Join(faultNames(), ", "))}
	case !inRange(s.DelayMS):
		return step{}, &ScriptError{"delay_ms", "want 0 to 600000"}
	case !inRange(s.PaceMS):
		return step{}, &ScriptError{"pace_ms", "want 0 to 600000"}
	case len(s.Body) > MaxStepBody:
		return step{}, &ScriptError{"body", fmt.Sprintf("%d bytes: want at most %d", len(s.Body), MaxStepBody)}
	}
	h, err := stepHeader(s.Header)
	if err != nil {
		return step{}, err
	}
	if s.Body == "" && h.Get("Content-Type") == "" {
		h["Content-Type"] = jsonType
	}
	made := step{Step: s, kind: k, status: status, header: h}
	made.fill = strings.Contains(s.Body, "{") || anyValue(s.Header, "{")
	return made, made.setCommit()
}

// setCommit works out when the step commits. A fault that does not read the
// request cannot act on it.
func (s *step) setCommit() *ScriptError {
	switch s.Commit {
	case "":
		s.before = s.status >= 200 && s.status < 300
	case CommitBefore:
		s.before = true
	case CommitAfter:
		s.after = true
	case CommitNone:
	default:
		return &ScriptError{"commit", fmt.Sprintf("unknown word %q: want %s, %s or %s",
			cutWord(s.Commit), CommitBefore, CommitAfter, CommitNone)}
	}
	if (s.before || s.after) && s.kind.early {
		return &ScriptError{"commit", s.Fault + " does not read the request, so it cannot act on it"}
	}
	return nil
}

// stepHeader checks names and values, so that no script can write a head of its
// own, and leaves framing to us.
func stepHeader(given map[string]string) (http.Header, *ScriptError) {
	if len(given) > MaxStepFields {
		return nil, &ScriptError{"header", fmt.Sprintf("%d fields: want at most %d", len(given), MaxStepFields)}
	}
	h := http.Header{}
	for name, value := range given {
		field := "header." + cutWord(name)
		switch canonical := http.CanonicalHeaderKey(name); {
		case !validToken(name):
			return nil, &ScriptError{field, "no field name (RFC 9110 section 5.1)"}
		case !validValue(value):
			return nil, &ScriptError{field, "no field value (RFC 9110 section 5.5), or longer than 4096 bytes"}
		case h[canonical] != nil: // as which of the two is a matter of chance
			return nil, &ScriptError{"header", canonical + " more than once"}
		case canonical == "Content-Length" || canonical == "Transfer-Encoding":
			return nil, &ScriptError{field, "framing is the fault's own"}
		default:
			h[canonical] = []string{value}
		}
	}
	return h, nil
}

// size is what a script's answers hold, in bytes.
func (s Script) size() int {
	n := 0
	for _, step := range s.Steps {
		n += len(step.Body)
		for name, value := range step.Header {
			n += len(name) + len(value)
		}
	}
	return n
}

func inRange(ms float64) bool { return ms >= 0 && ms <= float64(MaxDelay.Milliseconds()) }

func (s Step) delay() time.Duration { return time.Duration(s.DelayMS * float64(time.Millisecond)) }

func (s Step) pace() time.Duration {
	if s.PaceMS == 0 {
		return 100 * time.Millisecond
	}
	return time.Duration(s.PaceMS * float64(time.Millisecond))
}

func anyValue(h map[string]string, part string) bool {
	for _, v := range h {
		if strings.Contains(v, part) {
			return true
		}
	}
	return false
}

// cutWord keeps an error short whatever the script held.
func cutWord(s string) string { return s[:min(len(s), 40)] }

// validID says whether a call can have this name.
func validID(id string) bool {
	for i := range len(id) {
		c := id[i]
		if !alphanumeric(c) && (i == 0 || !strings.ContainsRune("._~-", rune(c))) {
			return false
		}
	}
	return id != "" && len(id) <= 64
}

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// validToken: RFC 9110 section 5.6.2.
func validToken(s string) bool {
	for i := range len(s) {
		if !alphanumeric(s[i]) && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(s[i])) {
			return false
		}
	}
	return s != "" && len(s) <= 128
}

// validValue: visible ASCII, spaces and tabs; no more is needed of a script.
func validValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return len(s) <= 4096
}

// statusOf is a fault's status, 0 where its name is none.
func statusOf(fault string) int {
	if n, err := strconv.Atoi(fault); err == nil && len(fault) == 3 && n >= 200 {
		return n
	}
	return 0
}

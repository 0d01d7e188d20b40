package servers

import (
	"crypto/sha256"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A CallDelivery is a delivery of a call.
type CallDelivery struct {
	Delivery

	Fault string `json:"fault"` // of the step it met; empty: a warm-up
	Proto string `json:"proto"` // "HTTP/1.1", "HTTP/2.0"
	Token string `json:"token"` // what {token} stands for
	Warm  bool   `json:"warm"`  // a warm-up: no step was used

	// AnswerComplete: all of a final answer was handed to the kernel.
	AnswerComplete bool `json:"answer_complete"`

	// In milliseconds since the call was made; null: it did not happen.
	CommittedAtMS *float64 `json:"committed_at_ms"`
	AnsweredAtMS  *float64 `json:"answered_at_ms"`
	EndedAtMS     *float64 `json:"ended_at_ms"`
}

// A turn is one delivery to an Origin. It becomes a call's once its head is
// here.
type turn struct {
	entry entry
	d     CallDelivery
	seq   int   // from 1, among the call's deliveries and warm-ups
	call  *Call // nil: nobody's
	step  *step // nil: a warm-up, or nobody's
}

// complete enters whether the whole answer was sent.
func (t *turn) complete(yes bool) {
	t.entry.set(func(*Delivery) { t.d.AnswerComplete = yes })
}

// answer sends a whole answer, and enters before that it is one, so that who
// has read it finds it so. What cannot be sent is in the ledger.
func (t *turn) answer(x exchange, status int, h http.Header, body string) {
	t.complete(true)
	if x.Answer(status, h, body) != nil {
		t.complete(false)
	}
}

// commit enters that the side effect has happened, once for each effect.
func (t *turn) commit(x exchange) {
	e, counts := t.effect(x)
	t.entry.set(func(d *Delivery) {
		if d.Committed || !d.Complete || counts && t.call.effects[e] {
			return
		}
		if counts && len(t.call.effects) < maxEffects {
			t.call.effects[e] = true
		}
		d.Committed, d.CommittedAt = true, time.Now()
		t.call.commits++
	})
}

// maxEffects bounds what a call remembers of its effects; those beyond are
// committed each time.
const maxEffects = 10_000

// An effect is what makes two deliveries do the same work once: a key that is
// honoured, or an idempotent method with one body for one target (RFC 9110
// section 9.2.2).
type effect [sha256.Size]byte

// effect is the delivery's; false: its work is its own.
func (t *turn) effect(x exchange) (effect, bool) {
	switch key := x.Key(); {
	case key != "" && !t.call.script.IgnoreKeys:
		return sha256.Sum256([]byte("key " + key)), true
	case t.d.Method == http.MethodPut || t.d.Method == http.MethodDelete:
		return sha256.Sum256([]byte(t.d.Method + " " + x.BodySum() + " " + x.target())), true
	}
	return effect{}, false
}

// safe says that the method asks for no effect (RFC 9110 section 9.2.1, and
// QUERY by RFC 10008).
func safe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, "QUERY":
		return true
	}
	return false
}

// header is the step's, with more: names and values in turn. It may be the
// step's own, which nobody may change.
func (t *turn) header(more ...string) http.Header {
	if !t.step.fill && len(more) == 0 {
		return t.step.header
	}
	h := make(http.Header, len(t.step.header)+1)
	for name, values := range t.step.header {
		h[name] = values
		if t.step.fill {
			h[name] = []string{t.filled(values[0])}
		}
	}
	for i := 0; i < len(more); i += 2 {
		h.Set(more[i], more[i+1])
	}
	return h
}

var jsonType = []string{"application/json"}

// body is the step's, or one that says what it is.
func (t *turn) body(status int) string {
	switch {
	case t.step.fill:
		return t.filled(t.step.Body)
	case t.step.Body != "":
		return t.step.Body
	}
	n := strconv.Itoa(t.d.N)
	if status >= 200 && status < 300 {
		return `{"call":"` + t.call.id + `","delivery":` + n + `,"token":"` + t.d.Token + "\"}\n"
	}
	return `{"call":"` + t.call.id + `","delivery":` + n + `,"fault":"` + t.d.Fault + "\"}\n"
}

func (t *turn) filled(s string) string {
	return strings.NewReplacer("{call}", t.call.id, "{delivery}", strconv.Itoa(t.d.N), "{token}", t.d.Token).Replace(s)
}

// withLength is the header with the length of a body that is sent in parts.
func (t *turn) withLength(body string) http.Header {
	return t.header("Content-Length", strconv.Itoa(len(body)))
}

// chunk is body as one chunk that is not the last (RFC 9112 section 7.1).
func chunk(body string) string {
	return strconv.FormatInt(int64(len(body)), 16) + "\r\n" + body + "\r\n"
}

// tenths cuts s into ten parts; nothing is none.
func tenths(s string) []string {
	if s == "" {
		return nil
	}
	parts := make([]string, 10)
	for i := range parts {
		parts[i] = s[len(s)*i/10 : len(s)*(i+1)/10]
	}
	return parts
}

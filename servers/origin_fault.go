package servers

import (
	"net/http"
	"strings"
	"time"
)

// A FaultInfo describes a fault that a step may have.
type FaultInfo struct {
	Name      string   `json:"fault"`
	Says      string   `json:"says"`      // what it does, in a sentence
	Protocols []string `json:"protocols"` // over which it can be done: "1.1", "2"
	Reads     bool     `json:"reads"`     // the whole request, first; only then can the step commit
}

// An exchange is a request in the hands of a fault, whichever protocol brought
// it.
type exchange interface {
	ReadBody() error
	BodySum() string
	Key() string
	target() string
	Answer(status int, h http.Header, body string) error
	Wait(d time.Duration) bool
	Closing() <-chan struct{}
	FIN()
	RST()
	Stall()
}

// A kind is a fault as a script names it. What cannot be sent is in the ledger,
// so that none of the functions returns an error.
type kind struct {
	name, says string
	place      int // in kinds

	early bool // it does not read the request first

	// One for both protocols, or one for each; nil: not over this one.
	both  func(exchange, *turn)
	http1 func(*Exchange, *turn)
	http2 func(*Stream, *turn)
}

// status is the kind of every status.
var status = kind{name: "200 to 999", says: "answers with that status", both: answer}

// kinds are the faults by name. Nothing changes them.
var kinds = placed([]kind{
	{name: "reset", says: "resets the connection instead of an answer",
		both: func(x exchange, _ *turn) { x.RST() }},
	{name: "fin", says: "closes the connection in order instead of an answer",
		both: func(x exchange, _ *turn) { x.FIN() }},
	{name: "silent", says: "never answers, and keeps the connection open",
		both: func(x exchange, _ *turn) { x.Stall() }},
	{name: "truncated", says: "closes the connection in the midst of the answer's body",
		http1: func(x *Exchange, t *turn) { begin1(x, t, half, x.FIN) },
		http2: func(s *Stream, t *turn) { begin2(s, t, half, s.FIN) }},
	{name: "truncated-reset", says: "resets the connection in the midst of the answer's body",
		http1: func(x *Exchange, t *turn) { begin1(x, t, half, x.RST) },
		http2: func(s *Stream, t *turn) { begin2(s, t, half, s.RST) }},
	{name: "truncated-chunked", says: "closes the connection before the last chunk of the answer",
		http1: cutChunks},
	{name: "body-stall", says: "sends half of the answer's body and no more, and keeps the connection open",
		http1: func(x *Exchange, t *turn) { begin1(x, t, half, x.Stall) },
		http2: func(s *Stream, t *turn) { begin2(s, t, half, s.Stall) }},
	{name: "head-stall", says: "sends a part of the answer's head and no more, and keeps the connection open",
		http1: func(x *Exchange, _ *turn) {
			if x.Send("HTTP/1.1 200 OK\r\nContent-Le", 0) == nil {
				x.Stall()
			}
		}},
	{name: "slow", says: "sends the answer's body in ten parts, with a pause before each",
		http1: slow1, http2: slow2},
	{name: "malformed", says: "answers in another protocol than HTTP, and closes the connection",
		http1: func(x *Exchange, _ *turn) {
			if x.Send("SSH-2.0-lab\r\n", 0) == nil {
				x.FIN()
			}
		}},
	{name: "reset-head", says: "resets the connection once the head is here, and reads nothing of the body", early: true,
		http1: func(x *Exchange, _ *turn) { x.RST() },
		http2: func(s *Stream, _ *turn) { s.RST() }},
	{name: "early-413", says: "answers 413 once the head is here, reads nothing of the body, and closes", early: true,
		both: early},

	{name: "refused-stream", says: "resets the stream with REFUSED_STREAM: nothing of it was processed",
		http2: func(s *Stream, _ *turn) { _ = s.Refuse() }},
	{name: "goaway-above", says: "sends a GOAWAY that leaves the stream out: nothing of it was processed",
		http2: func(s *Stream, _ *turn) { _ = s.GoAway(before(s.ID), HTTP2NoError) }},
	{name: "goaway-below", says: "sends a GOAWAY that takes the stream in, and closes without its answer",
		http2: func(s *Stream, _ *turn) {
			_ = s.GoAway(s.ID, HTTP2NoError)
			s.FIN()
		}},
	{name: "protocol-error", says: "resets the stream with PROTOCOL_ERROR", http2: resetKind(HTTP2ProtocolError)},
	{name: "internal-error", says: "resets the stream with INTERNAL_ERROR", http2: resetKind(HTTP2InternalError)},
	{name: "cancel", says: "resets the stream with CANCEL", http2: resetKind(HTTP2Cancel)},
	{name: "enhance-your-calm", says: "resets the stream with ENHANCE_YOUR_CALM", http2: resetKind(HTTP2EnhanceYourCalm)},
	{name: "http11-required", says: "resets the stream with HTTP_1_1_REQUIRED", http2: resetKind(HTTP2HTTP11Required)},
})

func placed(list []kind) []kind {
	for i := range list {
		list[i].place = i
	}
	return list
}

func resetKind(code HTTP2Code) func(*Stream, *turn) {
	return func(s *Stream, _ *turn) { _ = s.Reset(code) }
}

// Faults lists what a step may have, statuses first.
func Faults() []FaultInfo {
	list := []FaultInfo{status.info()}
	for i := range kinds {
		list = append(list, kinds[i].info())
	}
	return list
}

func (k *kind) info() FaultInfo {
	f := FaultInfo{Name: k.name, Says: k.says, Reads: !k.early}
	if k.both != nil || k.http1 != nil {
		f.Protocols = append(f.Protocols, "1.1")
	}
	if k.both != nil || k.http2 != nil {
		f.Protocols = append(f.Protocols, "2")
	}
	return f
}

// kindOf finds a fault by its name, nil where there is none, and its status
// where it is one.
func kindOf(fault string) (*kind, int) {
	if n := statusOf(fault); n != 0 {
		return &status, n
	}
	for i := range kinds {
		if kinds[i].name == fault {
			return &kinds[i], 0
		}
	}
	return nil, 0
}

func faultNames() []string {
	var names []string
	for i := range kinds {
		names = append(names, kinds[i].name)
	}
	return names
}

// answer is the whole of an answer.
func answer(x exchange, t *turn) {
	t.answer(x, t.step.status, t.header(), t.body(t.step.status))
}

// half is the part of a body that is sent before a fault breaks it off.
func half(body string) string { return body[:len(body)/2] }

// begin1 sends the head of a 200 and a part of its content, and then ends it.
func begin1(x *Exchange, t *turn, part func(string) string, end func()) {
	body := t.body(http.StatusOK)
	content := contentFor(x.Request, body)
	rest := len(content) - len(part(content))
	raw := x.composed(http.StatusOK, t.header(), body)
	t.complete(rest == 0)
	if x.Send(cut(raw, rest), http.StatusOK) != nil {
		t.complete(false)
		return
	}
	end()
}

// contentFor is what of a body is sent: an answer to HEAD is only its head (RFC
// 9110 section 9.3.2).
func contentFor(r *http.Request, body string) string {
	if r.Method == http.MethodHead {
		return ""
	}
	return body
}

// begin2 leaves the stream open behind a head without content too: even that
// answer breaks off.
func begin2(s *Stream, t *turn, part func(string) string, end func()) {
	body := t.body(http.StatusOK)
	sent := part(contentFor(s.Request, body))
	err := s.SendHead(http.StatusOK, t.withLength(body), false)
	if err == nil && sent != "" {
		err = s.SendData(sent, false)
	}
	if err == nil {
		end()
	}
}

// cutChunks announces chunks and sends one that is not the last.
func cutChunks(x *Exchange, t *turn) {
	h := t.header("Transfer-Encoding", "chunked")
	body := t.body(http.StatusOK)
	t.complete(x.Request.Method == http.MethodHead)
	if x.Send(x.composed(http.StatusOK, h, chunk(body)), http.StatusOK) != nil {
		t.complete(false)
		return
	}
	x.FIN()
}

// slow1 sends the head at once, and the content in ten parts.
func slow1(x *Exchange, t *turn) {
	body := t.body(http.StatusOK)
	parts := tenths(contentFor(x.Request, body))
	raw := x.composed(http.StatusOK, t.header(), body)
	t.complete(len(parts) == 0)
	err := x.Send(cut(raw, len(strings.Join(parts, ""))), http.StatusOK)
	for i := 0; err == nil && i < len(parts); i++ {
		if !x.Wait(t.step.pace()) {
			return
		}
		t.complete(i == len(parts)-1)
		err = x.Send(parts[i], 0)
	}
	if err != nil {
		t.complete(false)
		return
	}
	x.FIN()
}

func slow2(s *Stream, t *turn) {
	body := t.body(http.StatusOK)
	parts := tenths(contentFor(s.Request, body))
	t.complete(len(parts) == 0)
	err := s.SendHead(http.StatusOK, t.withLength(body), len(parts) == 0)
	for i := 0; err == nil && i < len(parts); i++ {
		if !s.Wait(t.step.pace()) {
			return
		}
		last := i == len(parts)-1
		t.complete(last)
		err = s.SendData(parts[i], last)
	}
	if err != nil {
		t.complete(false)
	}
}

// early closes with whatever is on its way unread, as NewEarly does. Over
// HTTP/2 the stream ends, and its connection goes on.
func early(x exchange, t *turn) {
	const status = http.StatusRequestEntityTooLarge
	t.answer(x, status, t.header("Connection", "close"), t.body(status))
}

package control

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A problem is what a refused request is told.
type problem struct {
	Error string `json:"error"`
	Field string `json:"field,omitempty"` // of the script, the query or the head; empty: none
}

func refuse(w http.ResponseWriter, status int, p problem) { answer(w, status, p) }

// answer sends v as one line of JSON.
func answer(w http.ResponseWriter, status int, v any) { send(w, status, rendered(v)) }

// rendered is v as one line of JSON. Much of it came from the network and may go
// to a terminal: whatever is not printable ASCII is escaped.
func rendered(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil { // a value of this package that has no JSON form
		panic(fmt.Sprintf("control: %v", err))
	}
	return append(printable(raw), '\n')
}

func send(w http.ResponseWriter, status int, line []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(line) // who has left has left
}

// A ledger with its script may be dozens of megabytes long in JSON, and its
// reader slow: so many are in memory at once, and each for so long at most.
const (
	maxLong   = 8
	longBytes = 256 << 10
	longWrite = 10 * time.Second
)

// answerLong is answer for what may be long. It waits for its turn; an answer
// that has come out short waits for no slow reader, and none waits for it.
func (a *API) answerLong(w http.ResponseWriter, r *http.Request, status int, v any) {
	select {
	case a.long <- struct{}{}: // also where the server ends: an ended wait is answered
	default:
		select {
		case a.long <- struct{}{}:
		case <-r.Context().Done(): // the client has left, or the server ends
			refuse(w, http.StatusServiceUnavailable, problem{Error: "the server ends"})
			return
		}
	}
	free := sync.OnceFunc(func() { <-a.long })
	defer free()
	line := rendered(v)
	if len(line) <= longBytes {
		free()
	} else {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longWrite)) // a test's recorder has none
	}
	send(w, status, line)
}

// printable escapes what is not printable ASCII in a JSON text, where that
// stands only inside strings.
func printable(raw []byte) []byte {
	plain := func(b byte) bool { return b >= ' ' && b <= '~' }
	out := make([]byte, 0, len(raw)+1)
	for i := 0; i < len(raw); {
		if plain(raw[i]) {
			out = append(out, raw[i])
			i++
			continue
		}
		r, size := utf8.DecodeRune(raw[i:])
		if i += size; r > 0xffff {
			r -= 0x10000
			out = escaped(out, 0xd800+r>>10)
			r = 0xdc00 + r&0x3ff
		}
		out = escaped(out, r)
	}
	return out
}

// escaped adds one UTF-16 code unit, in ASCII.
func escaped(out []byte, unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(out, '\\', 'u', digits[unit>>12&15], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15])
}

// local says whether a Host field names this machine for what it is.
func local(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "["), "]")
	_, err := netip.ParseAddr(name)
	return err == nil || strings.EqualFold(name, "localhost")
}

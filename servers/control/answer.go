package control

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"unicode/utf8"
)

// A problem is what a refused request is told.
type problem struct {
	Error string `json:"error"`
	Field string `json:"field,omitempty"` // of the script, the query or the head; empty: none
}

func refuse(w http.ResponseWriter, status int, p problem) { answer(w, status, p) }

// answer sends v as one line of JSON. Much of it came from the network and may
// go to a terminal: whatever is not printable ASCII is escaped.
func answer(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil { // a value of this package that has no JSON form
		panic(fmt.Sprintf("control: %v", err))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(printable(raw), '\n')) // who has left has left
}

// printable escapes what is not printable ASCII in a JSON text, where that
// stands only inside strings.
func printable(raw []byte) []byte {
	plain := func(b byte) bool { return b >= ' ' && b <= '~' }
	var out []byte
	for i := 0; i < len(raw); {
		if plain(raw[i]) {
			out = append(out, raw[i])
			i++
			continue
		}
		r, size := utf8.DecodeRune(raw[i:])
		if i += size; r > 0xffff {
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x`, 0xd800+r>>10)
			r = 0xdc00 + r&0x3ff
		}
		out = fmt.Appendf(out, `\u%04x`, r)
	}
	return out
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

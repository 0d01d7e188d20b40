package servers

import (
	"fmt"
	"net/http"
)

// MaskKeys names idempotency keys by their number among those it has seen, from
// 1: two can be told apart, and none is shown. The zero value has seen none.
type MaskKeys struct{ seen map[string]string }

// Mask is the name of key, "set 1" for the first; no key is "".
func (m *MaskKeys) Mask(key string) string {
	if key == "" {
		return ""
	}
	name, known := m.seen[key]
	if !known {
		if m.seen == nil {
			m.seen = map[string]string{}
		}
		name = fmt.Sprintf("set %d", len(m.seen)+1)
		m.seen[key] = name
	}
	return name
}

// secretFields are those whose value is nobody else's to read.
var secretFields = map[string]bool{
	"Authorization": true, "Proxy-Authorization": true, "Cookie": true, "Set-Cookie": true, KeyHeader: true,
}

// Masked is the record as it may be printed: keys named by their number, and
// without the secrets that a script had its answers carry.
func (r CallRecord) Masked() CallRecord {
	r.Ledger = append([]CallDelivery{}, r.Ledger...)
	var keys MaskKeys
	for i := range r.Ledger {
		r.Ledger[i].Key = keys.Mask(r.Ledger[i].Key)
	}
	r.Script.Steps = append([]Step{}, r.Script.Steps...)
	for i := range r.Script.Steps {
		r.Script.Steps[i].Header = maskHeader(r.Script.Steps[i].Header)
	}
	return r
}

func maskHeader(h map[string]string) map[string]string {
	if h == nil {
		return nil
	}
	out := make(map[string]string, len(h))
	for name, value := range h {
		if secretFields[http.CanonicalHeaderKey(name)] {
			value = "…"
		}
		out[name] = value
	}
	return out
}

package servers

import (
	"slices"
	"strings"
	"testing"
)

func TestKeysAreToldApartAndNotShown(t *testing.T) {
	var keys MaskKeys
	var got []string
	for _, key := range []string{"a-secret", "b-secret", "", "a-secret"} {
		got = append(got, keys.Mask(key))
	}
	if want := []string{"set 1", "set 2", "", "set 1"}; !slices.Equal(got, want) {
		t.Errorf("masked to %q, want %q", got, want)
	}
}

func TestAMaskedRecordLeavesTheCallAlone(t *testing.T) {
	call := NewOrigin(t).Script(Script{Steps: []Step{{Fault: "200", Header: map[string]string{"set-cookie": "secret", "X-Other": "shown"}}}})
	for _, key := range []string{"k1", "k2", "k1"} {
		a := request(t, client(t), "POST", call.URL(), "x", KeyHeader, key)
		if a.header.Get("Set-Cookie") != "secret" {
			t.Errorf("answer %+v", a)
		}
	}
	masked, plain := call.Record().Masked(), call.Record()
	var got []string
	for i, d := range masked.Ledger {
		got = append(got, d.Key)
		if !strings.HasPrefix(plain.Ledger[i].Key, "k") {
			t.Errorf("the call's own ledger was masked: %q", plain.Ledger[i].Key)
		}
	}
	if want := []string{"set 1", "set 2", "set 1"}; !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	if h := masked.Script.Steps[0].Header; h["set-cookie"] == "secret" || h["X-Other"] != "shown" {
		t.Errorf("header %v", h)
	}
	if h := plain.Script.Steps[0].Header; h["set-cookie"] != "secret" {
		t.Errorf("the script itself was masked: %v", h)
	}
}

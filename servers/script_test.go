package servers

import (
	"runtime"
	"strings"
	"testing"
)

// What decodes a script never holds much more than its text, however many
// values that has.
func TestAScriptOfManyValuesTakesNoMoreThanItsText(t *testing.T) {
	text := `[` + strings.Repeat("0,", MaxScript/2-2) + `0]`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ParseScript(strings.NewReader(text)); err == nil {
		t.Fatal("parsed")
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 16*MaxScript {
		t.Errorf("%d bytes for a script of %d", took, len(text))
	}
}

// A standing call is there by its id before its fault was asked for.
func TestTheIDOfAStandingCallIsThereAtOnce(t *testing.T) {
	o := NewOrigin(t)
	for range 2 {
		if a := request(t, client(t), "GET", o.URL()+"/c/503/", ""); a.status != 503 {
			t.Errorf("%+v", a)
		}
		request(t, client(t), "GET", o.URL()+"/503", "")
	}
	if call, ok := o.Lookup("503"); !ok || call.Record().Deliveries != 4 {
		t.Errorf("known %v, want 4 deliveries", ok)
	}
}

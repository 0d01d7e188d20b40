package audit

import "testing"

func TestHaste(t *testing.T) {
	control := []Observation{seen("control/retries-503", []Delivery{at(1, 503), at(90, 200)})}
	for _, row := range []struct {
		why  string
		runs []Observation
		want bool
	}{
		{"a pause that grows", many(10, seen(failing, sequence(90, 180, 360))), false},
		{"at once, then growing", many(10, seen(failing, sequence(2, 180, 360))), false},
		{"at once, the first on a busy machine", many(10, seen(failing, sequence(90, 5, 6))), true},
		{"not asked", nil, false},
	} {
		f := factsOf(Declared{}, false, map[string][]Observation{"control/retries-503": control, failing: row.runs})
		if f.Hasty != row.want {
			t.Errorf("%s: hasty %t, want %t", row.why, f.Hasty, row.want)
		}
	}
}

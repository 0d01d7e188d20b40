package audit

import "testing"

// herd is fifty runs whose first gaps begin at from and are step apart, and
// whose later ones grow by jitter from one to the next, of ten.
func herd(from, step, jitter float64) []Observation {
	list := many(fifty, Observation{})
	for i := range list {
		later := jitter * float64(1+i%10)
		list[i] = seen("herd/fifty", sequence(from+float64(i)*step, 5+later, 5+2*later))
		list[i].Run = i
	}
	return list
}

// slowHerd is fifty runs whose first gaps alone differ.
func slowHerd() []Observation {
	list := many(fifty, Observation{})
	for i := range list {
		list[i] = seen("herd/fifty", sequence(200+float64(i)*3, 403+float64(i%3), 801+float64(i%4)))
	}
	return list
}

// slowOK is one whose control/ok took half a second.
func slowOK() Facts {
	f := retrying()
	f.OKMS = 500
	return f
}

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

// Beside others a command starts more slowly than alone.
func TestStart(t *testing.T) {
	f := factsOf(Declared{}, false, map[string][]Observation{
		"control/ok":    {seen("control/ok", []Delivery{at(100, 200)})},
		"control/fails": {seen("control/fails", []Delivery{at(400, 404)})},
	})
	if f.StartMS != 400 {
		t.Errorf("it starts in %.0f ms, want the longest, 400", f.StartMS)
	}
}

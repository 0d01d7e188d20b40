package audit

import "testing"

// herdOf is runs whose second attempts came after so many milliseconds.
func herdOf(gap func(run int) float64) []Observation {
	runs := make([]Observation, fifty)
	for i := range runs {
		runs[i].Ledger = []Delivery{
			{N: 1, AtMS: 10, AnsweredMS: 10, EndedMS: 10, Answered: 503, AnsweredAll: true},
			{N: 2, AtMS: 10 + gap(i), AnsweredMS: 10 + gap(i), EndedMS: 10 + gap(i), Answered: 503, AnsweredAll: true},
		}
	}
	return runs
}

// Only a spread that may be the machine's is looked at again, and then the
// closest counts.
func TestWhatMayBeTheMachinesIsDoubtful(t *testing.T) {
	calm := herdOf(func(run int) float64 { return 1000 + float64(run%5) })
	busy := herdOf(func(run int) float64 { return 1000 + 4*float64(run) })
	jitter := herdOf(func(run int) float64 { return 500 + 20*float64(run) })
	once := make([]Observation, fifty)
	for _, row := range []struct {
		name string
		runs []Observation
		want bool
	}{{"calm", calm, false}, {"busy", busy, true}, {"jitter", jitter, false}, {"no retry", once, false}, {"nothing", nil, false}} {
		if got := doubtful(row.runs); got != row.want {
			t.Errorf("%s: doubtful %v, want %v", row.name, got, row.want)
		}
	}
	if !closer(calm, busy) || closer(busy, calm) || closer(once, busy) {
		t.Error("the closest of two rounds is not found")
	}
}

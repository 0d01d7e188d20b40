package scenarios

import (
	"math/rand/v2"
	"time"
)

// Env is what a run gives its cases.
type Env struct {
	Epoch time.Time // zero of every time in the result

	// as, if set, is the request to make in place of the case's own.
	as *request

	// Draw is where a case that leaves something to chance has it from, a time
	// from zero to below its argument. It is called from several goroutines;
	// nil means rand.N.
	Draw func(time.Duration) time.Duration
}

// with is e for another request than the case's own.
func (e *Env) with(as *request) *Env {
	return &Env{Epoch: e.Epoch, Draw: e.Draw, as: as}
}

func (e *Env) draw(below time.Duration) time.Duration {
	if e.Draw != nil {
		return e.Draw(below)
	}
	return rand.N(below)
}

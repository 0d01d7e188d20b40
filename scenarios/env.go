package scenarios

import "time"

// Env is what a run gives its cases.
type Env struct {
	Epoch time.Time // zero of every time in the result
}

package servers

// What a ledger holds for a row, from nothing to all.
const (
	SawNothing    = "nothing"
	SawConnection = "connection"
	SawPartHead   = "part of the head"
	SawHead       = "head"
	SawPartBody   = "part of the body"
	SawRequest    = "request"
	SawCommitted  = "request, committed"
)

// SawWords lists them from the least to the most.
func SawWords() []string {
	return []string{SawNothing, SawConnection, SawPartHead, SawHead, SawPartBody, SawRequest, SawCommitted}
}

// Saw says how much of a request this delivery was: at least its first byte.
func (d Delivery) Saw() string {
	switch {
	case d.Committed:
		return SawCommitted
	case d.Complete:
		return SawRequest
	case d.BodyBytes > 0:
		return SawPartBody
	case d.Method != "":
		return SawHead
	}
	return SawPartHead
}

// Saw says how much reached the server at most, over all deliveries. What was
// only a warm-up does not count, nor does a connection that carried no more.
func (r Record) Saw() string {
	asked := r.Asked()
	most := 0
	if len(r.Connections) > len(r.warmedUp(asked)) {
		most = 1
	}
	words := SawWords()
	for _, d := range asked {
		for i := most + 1; i < len(words); i++ {
			if d.Saw() == words[i] {
				most = i
			}
		}
	}
	return words[most]
}

// warmedUp are the numbers of the connections that carried warm-ups alone.
func (r Record) warmedUp(asked []Delivery) map[int]bool {
	alone := map[int]bool{}
	for _, d := range r.Deliveries {
		if d.WarmUp() {
			alone[d.Connection] = true
		}
	}
	for _, d := range asked {
		delete(alone, d.Connection)
	}
	return alone
}

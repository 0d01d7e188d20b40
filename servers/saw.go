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

// Saw says how much of a request this delivery was.
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
	case d.HeadBytes > 0:
		return SawPartHead
	}
	return SawConnection
}

// Saw says how much reached the server at most, over all deliveries.
func (r Record) Saw() string {
	most := 0
	if len(r.Connections) > 0 {
		most = 1
	}
	words := SawWords()
	for _, d := range r.Deliveries {
		for i := most + 1; i < len(words); i++ {
			if d.Saw() == words[i] {
				most = i
			}
		}
	}
	return words[most]
}

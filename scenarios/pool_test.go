package scenarios

import "testing"

func TestARequestThatWaitsInThePoolIsSentToNobody(t *testing.T) {
	byID := runRows(t, poolGroup())
	for _, row := range byID {
		want(t, row, "code", "TIMEOUT", "phase", "pool", "processed", "never", "post", "yes", "saw", "nothing")
	}
	want(t, byID["exhausted"], "deliveries", "0")

	// Sent again, it is delivered once: the verdict was right.
	freed := byID["exhausted-then-freed"]
	want(t, freed, "attempts", "TIMEOUT, HTTP_200", "deliveries", "1")
	if asked := record(t, freed).Asked(); len(asked) != 1 || asked[0].Attempt != 2 || !asked[0].Reused {
		t.Errorf("asked %+v, want attempt 2 alone, on the connection that was freed", asked)
	}
}

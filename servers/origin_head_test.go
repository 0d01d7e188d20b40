package servers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
)

// An answer to HEAD is its head alone, whatever fault the content would have
// had; its length is the content's.
func TestAnAnswerToHEADHasNoContent(t *testing.T) {
	const body = "twelve bytes"
	o := NewOrigin(t)
	for _, tt := range []struct {
		fault    string
		complete bool
	}{
		{"200", true}, {"slow", true}, {"truncated", true}, {"truncated-reset", true}, {"early-413", true},
	} {
		call := o.Script(Script{Steps: []Step{{Fault: tt.fault, Body: body, PaceMS: 1}}})
		c := dial(t, o.Addr())
		write(t, c, "HEAD /c/"+call.ID()+"/ HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n")
		br := bufio.NewReader(c)
		res, _ := respond(t, br, http.MethodHead)
		if res.ContentLength != int64(len(body)) {
			t.Errorf("%s: Content-Length %d, want %d", tt.fault, res.ContentLength, len(body))
		}
		if rest, _ := io.ReadAll(br); len(rest) > 0 { // the end is the fault's
			t.Errorf("%s: content %q", tt.fault, rest)
		}
		if d := settled(t, call).Ledger[0]; d.AnswerComplete != tt.complete {
			t.Errorf("%s: answer complete %v, want %v", tt.fault, d.AnswerComplete, tt.complete)
		}
	}
}

// Over HTTP/2 content behind an answer to HEAD would be a broken protocol; an
// answer that breaks off has no END_STREAM.
func TestAnAnswerToHEADHasNoContentOverHTTP2(t *testing.T) {
	o := NewOrigin(t)
	for _, tt := range []struct {
		fault    string
		complete bool
	}{
		{"200", true}, {"slow", true}, {"early-413", true}, {"truncated", false}, {"truncated-reset", false},
	} {
		call := o.Script(Script{Steps: []Step{{Fault: tt.fault, Body: "twelve bytes", PaceMS: 1}}})
		c := clientH2C(t)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		req, err := http.NewRequestWithContext(ctx, http.MethodHead, call.URL(), nil)
		if err != nil {
			t.Fatal(err)
		}
		switch res, err := c.Do(req); {
		case err != nil && tt.complete:
			t.Errorf("%s: client error %v", tt.fault, err)
		case err == nil:
			res.Body.Close()
			if res.ContentLength != 12 {
				t.Errorf("%s: %s, length %d", tt.fault, res.Status, res.ContentLength)
			}
		}
		cancel()
		c.CloseIdleConnections()
		if d := settled(t, call).Ledger[0]; d.AnswerComplete != tt.complete {
			t.Errorf("%s: answer complete %v, want %v", tt.fault, d.AnswerComplete, tt.complete)
		}
	}
}

// A stream above a GOAWAY, and one past the bound, meet no fault; they are
// entered, and nothing of them stays under way.
func TestAStreamThatMeetsNoFaultIsNotUnderWay(t *testing.T) {
	o := NewOrigin(t)
	above, stalled, past := o.Call("200"), o.Call("silent"), o.Call("200")

	h := dialH2(t, o.Server)
	h.head(1, true, block("/goaway-above"))
	h.head(3, true, block("/c/"+above.ID()+"/"))
	awaitCall(t, above, func(r CallRecord) bool { return r.Deliveries == 1 && r.InFlight == 0 })

	h = dialH2(t, o.Server)
	for i := range uint32(originStreams) {
		h.head(2*i+1, true, block(fmt.Sprintf("/c/%s/", stalled.ID())))
	}
	h.head(2*originStreams+1, true, block("/c/"+past.ID()+"/"))
	awaitCall(t, past, func(r CallRecord) bool { return r.Deliveries == 1 && r.InFlight == 0 && r.Finished })
	if d := past.Record().Ledger[0]; d.Ended != EndedRST || d.Answered != 0 {
		t.Errorf("delivery %+v", d)
	}
}

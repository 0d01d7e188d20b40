package servers

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Whatever part of a request arrives, the ledger says which, and who ended it.
func TestTheLedgerSaysHowMuchArrived(t *testing.T) {
	rows := []struct {
		why, sent string
		reset     bool // else the client closes in order
		saw       string
		ended     string
	}{
		{why: "no byte at all", saw: SawConnection},
		{why: "no byte, and a reset", reset: true, saw: SawConnection},
		{why: "one byte", sent: "P", saw: SawPartHead, ended: EndedFIN},
		{why: "a head without its end", sent: "POST / HTTP/1.1\r\nHost: lab\r\n", saw: SawPartHead, ended: EndedFIN},
		{why: "a head, its body announced", sent: uploadHead(3), saw: SawHead, ended: EndedFIN},
		{why: "half a body", sent: uploadHead(3) + "pa", saw: SawPartBody, ended: EndedFIN},
		{why: "half a body, and a reset", sent: uploadHead(3) + "pa", reset: true, saw: SawPartBody, ended: EndedRST},
		{why: "half a chunked body", sent: "POST / HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n2\r\npa\r\n",
			saw: SawPartBody, ended: EndedFIN},
		{why: "a request, given up", sent: uploadHead(3) + "pay", saw: SawRequest, ended: EndedStalled},
		{why: "a request, given up by a reset", sent: uploadHead(3) + "pay", reset: true, saw: SawRequest, ended: EndedStalled},
		{why: "a request without a body", sent: "GET / HTTP/1.1\r\nHost: lab\r\n\r\n", saw: SawRequest, ended: EndedStalled},
	}
	for _, row := range rows {
		srv := stalling(t, Options{})
		c := dial(t, srv.Addr())
		write(t, c, row.sent)
		await(t, srv.Ledger(), row.why, func(r Record) bool {
			return len(r.Connections) == 1 && (row.sent == "" || r.Saw() == row.saw)
		})
		if row.reset {
			c.SetLinger(0)
		}
		c.Close()
		if row.sent != "" {
			await(t, srv.Ledger(), row.why+": ended", func(r Record) bool {
				return !r.Deliveries[0].EndedAt.IsZero()
			})
		}
		r := srv.Finish(time.Time{})
		if r.Saw() != row.saw {
			t.Errorf("%s: saw %q, want %q", row.why, r.Saw(), row.saw)
		}
		if row.ended == "" {
			if len(r.Deliveries) != 0 {
				t.Errorf("%s: deliveries %+v", row.why, r.Deliveries)
			}
			continue
		}
		if d := only(t, r); d.Ended != row.ended || d.Answered != 0 {
			t.Errorf("%s: ended %q, want %q", row.why, d.Ended, row.ended)
		}
	}
}

func TestAnEndlessHeadIsCutOff(t *testing.T) {
	for _, row := range []struct{ why, start, goesOn string }{
		{"a request line", "GET /", strings.Repeat("x", 4096)},
		{"a header line", "GET / HTTP/1.1\r\nHost: ", strings.Repeat("x", 4096)},
		{"header lines", "GET / HTTP/1.1\r\n", strings.Repeat("x: y\r\n", 600)},
	} {
		srv := Must[*Server](t)(NewStatus(Options{}, 200, nil))
		c := dial(t, srv.Addr())
		write(t, c, row.start)
		for {
			if _, err := io.WriteString(c, row.goesOn); err != nil {
				break // the server has closed
			}
		}
		if d := only(t, srv.Finish(time.Time{})); d.Saw() != SawPartHead || d.HeadBytes > maxHead+4096 {
			t.Errorf("%s: %d bytes of head, saw %q", row.why, d.HeadBytes, d.Saw())
		}
	}
}

func TestWhatIsNoRequestIsToldSo(t *testing.T) {
	for why, row := range map[string]struct {
		sent   string
		status int
	}{
		"no HTTP":       {"hello\r\n\r\n", 400},
		"a wrong field": {"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400},
		"a large head":  {"GET / HTTP/1.1\r\nx: " + strings.Repeat("y", maxHead-len("GET / HTTP/1.1\r\nx: ")), 431},
	} {
		srv := Must[*Server](t)(NewStatus(Options{}, 200, nil))
		c := dial(t, srv.Addr())
		write(t, c, row.sent)
		r, _ := respond(t, bufio.NewReader(c), "GET")
		if r.StatusCode != row.status || !r.Close {
			t.Errorf("%s: %s, close %v; want %d, true", why, r.Status, r.Close, row.status)
		}
		if d := only(t, srv.Finish(time.Time{})); d.Answered != row.status || d.Ended != EndedFIN || d.Saw() != SawPartHead {
			t.Errorf("%s: %+v", why, d)
		}
	}
}

func TestPipelinedRequestsAreAnsweredInOrder(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{}, 200, nil))
	c := dial(t, srv.Addr())
	write(t, c, "GET /1 HTTP/1.1\r\nHost: lab\r\n\r\n"+
		uploadHead(3)+"pay\r\n"+ // with the empty line that old clients add
		"POST /3 HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nTrailer: x\r\n\r\n"+
		"GET /4 HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n")
	br := bufio.NewReader(c)
	for i := range 4 {
		if r, _ := respond(t, br, "GET"); r.StatusCode != 200 || r.Close != (i == 3) {
			t.Errorf("answer %d: %s, close %v", i+1, r.Status, r.Close)
		}
	}
	if _, err := br.ReadByte(); err != io.EOF {
		t.Errorf("after the last answer: %v, want EOF", err)
	}
	r := srv.Finish(time.Time{})
	for i, want := range []string{"/1", "/up", "/3", "/4"} {
		d := r.Deliveries[i]
		if d.Path != want || d.Reused != (i > 0) || !d.Complete || d.Connection != 1 {
			t.Errorf("delivery %+v, want path %s", d, want)
		}
	}
	if d := r.Deliveries; d[1].Ended != EndedKept || d[3].Ended != EndedFIN {
		t.Errorf("ended %q and %q, want kept and fin", d[1].Ended, d[3].Ended)
	}
}

// A second answer on the same connection shows where the first one ended.
func TestAnswersWithoutABodyAreFramedRight(t *testing.T) {
	for _, row := range []struct {
		why, method string
		status      int
		length      int64
	}{
		{"a HEAD has the length and not the body", "HEAD", 200, 5},
		{"a 204 has neither", "GET", 204, 0},
		{"a 304 has neither", "GET", 304, 0},
		{"a 200 has both", "GET", 200, 5},
		{"a code in no registry has both", "GET", 799, 5},
	} {
		srv := Must[*Server](t)(start(Options{}, http1(func(x *Exchange) { x.Answer(row.status, nil, "hello") })))
		c := dial(t, srv.Addr())
		br := bufio.NewReader(c)
		for range 2 {
			write(t, c, row.method+" / HTTP/1.1\r\nHost: lab\r\n\r\n")
			r, body := respond(t, br, row.method)
			hasBody := row.length > 0 && row.method != "HEAD"
			if r.StatusCode != row.status || max(0, r.ContentLength) != row.length || (body == "hello") != hasBody {
				t.Errorf("%s: %s, length %d, body %q", row.why, r.Status, r.ContentLength, body)
			}
			if r.Header.Get("Date") == "" {
				t.Errorf("%s: no date", row.why)
			}
		}
	}
}

func TestABodyIsBounded(t *testing.T) {
	const bound = 10
	chunked := "POST / HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, row := range []struct {
		why, sent string
		fits      bool
	}{
		{"as long as allowed", uploadHead(10) + "0123456789", true},
		{"as long as allowed, chunked", chunked + "a\r\n0123456789\r\n0\r\n\r\n", true},
		{"a byte longer", uploadHead(11) + "0123456789+", false},
		{"a byte longer, chunked", chunked + "b\r\n0123456789+\r\n0\r\n\r\n", false},
	} {
		srv := Must[*Server](t)(NewStatus(Options{MaxBody: bound}, 200, nil))
		c := dial(t, srv.Addr())
		write(t, c, row.sent)
		_, err := http.ReadResponse(bufio.NewReader(c), nil)
		if (err == nil) != row.fits {
			t.Errorf("%s: %v", row.why, err)
		}
		d := only(t, srv.Finish(time.Time{}))
		if (d.Answered == 200) != row.fits || d.BodyBytes > bound+1 {
			t.Errorf("%s: %+v", row.why, d)
		}
		if want := map[bool]string{true: EndedKept, false: EndedFIN}[row.fits]; d.Ended != want {
			t.Errorf("%s: ended %q, want %q", row.why, d.Ended, want)
		}
	}
}

func TestAClientThatWaitsFor100GetsIt(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{}, 201, nil))
	c := dial(t, srv.Addr())
	br := bufio.NewReader(c)
	write(t, c, "POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 3\r\nExpect: 100-Continue\r\n\r\n")
	if line, err := br.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100 ") {
		t.Fatalf("%q, %v; want 100", line, err)
	}
	br.ReadString('\n')
	write(t, c, "pay")
	if r, _ := respond(t, br, "POST"); r.StatusCode != 201 || r.Close {
		t.Errorf("%s, close %v; want 201, false", r.Status, r.Close)
	}
}

func TestAFinalAnswerInsteadOf100EndsTheConnection(t *testing.T) {
	srv := Must[*Server](t)(start(Options{}, http1(func(x *Exchange) { x.Answer(417, nil, "") })))
	c := dial(t, srv.Addr())
	br := bufio.NewReader(c)
	write(t, c, "POST / HTTP/1.1\r\nHost: lab\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
	if r, _ := respond(t, br, "POST"); r.StatusCode != 417 || !r.Close {
		t.Errorf("%s, close %v; want 417, true", r.Status, r.Close)
	}
	if _, err := br.ReadByte(); err != io.EOF {
		t.Errorf("then %v, want EOF", err)
	}
	if d := only(t, srv.Finish(time.Time{})); d.Saw() != SawHead || d.Answered != 417 || d.Ended != EndedFIN {
		t.Errorf("delivery %+v", d)
	}
}

func TestAnEarlyAnswerTakesTheRestOfTheBody(t *testing.T) {
	srv := Must[*Server](t)(start(Options{}, http1(func(x *Exchange) { x.Answer(200, nil, "") })))
	c := dial(t, srv.Addr())
	br := bufio.NewReader(c)
	for range 2 {
		write(t, c, uploadHead(3))
		respond(t, br, "POST")
		write(t, c, "pay")
	}
	await(t, srv.Ledger(), "both whole", func(r Record) bool {
		return len(r.Deliveries) == 2 && r.Deliveries[0].Complete && r.Deliveries[1].Complete
	})
}

func TestAClientThatLeavesDuringTheWorkIsEnteredWhenItLeaves(t *testing.T) {
	release := make(chan struct{})
	srv := Must[*Server](t)(start(Options{}, http1(func(x *Exchange) {
		stop := x.c.watch()
		<-release
		stop()
		x.Commit()
		x.Answer(200, nil, "")
	})))
	c := dial(t, srv.Addr())
	write(t, c, "GET / HTTP/1.1\r\nHost: lab\r\n\r\n")
	await(t, srv.Ledger(), "the head", func(r Record) bool { return r.Saw() == SawRequest })
	c.Close()
	await(t, srv.Ledger(), "the client leaves", func(r Record) bool { return !r.Deliveries[0].EndedAt.IsZero() })
	left := only(t, srv.Ledger().Record(time.Time{}))
	if left.Ended != EndedStalled || left.Committed {
		t.Errorf("when it left: %+v", left)
	}
	close(release)
	idle(t, srv)
	d := only(t, srv.Finish(time.Time{}))
	if d.Ended != EndedFIN || d.Answered != 200 || !d.Committed || !d.EndedAt.Equal(left.EndedAt) || d.CommittedAt.Before(d.EndedAt) {
		t.Errorf("in the end: %+v", d)
	}
}

func TestAWaitLeavesThePipelineAlone(t *testing.T) {
	srv := Must[*Server](t)(start(Options{}, http1(func(x *Exchange) {
		if x.Wait(time.Millisecond) {
			x.Answer(200, nil, x.Request.URL.Path)
		}
	})))
	c := dial(t, srv.Addr())
	br := bufio.NewReader(c)
	write(t, c, "GET /1 HTTP/1.1\r\nHost: lab\r\n\r\nGET /2 HTTP/1.1\r\nHost: lab\r\n\r\n")
	for _, want := range []string{"/1", "/2"} {
		if _, body := respond(t, br, "GET"); body != want {
			t.Errorf("answer %q, want %q", body, want)
		}
	}
	write(t, c, "GET /3 HTTP/1.1\r\nHost: lab\r\n\r\n")
	if _, body := respond(t, br, "GET"); body != "/3" {
		t.Errorf("answer %q, want /3", body)
	}
}

func TestAnAnswerThatCannotBeSentIsNotEntered(t *testing.T) {
	srv := Must[*Server](t)(start(Options{}, http1(func(x *Exchange) {
		x.c.tcp.CloseWrite()
		if err := x.Answer(200, nil, ""); err == nil {
			t.Error("the answer was sent on a closed side")
		}
	})))
	c := dial(t, srv.Addr())
	write(t, c, "GET / HTTP/1.1\r\nHost: lab\r\n\r\n")
	io.Copy(io.Discard, c)
	if d := only(t, srv.Finish(time.Time{})); d.Answered != 0 || !d.AnsweredAt.IsZero() || d.Ended == EndedKept {
		t.Errorf("delivery %+v", d)
	}
}

func TestTheLedgerKeepsLongWordsShort(t *testing.T) {
	srv := Must[*Server](t)(NewStatus(Options{}, 200, nil))
	c := dial(t, srv.Addr())
	write(t, c, "GET /"+strings.Repeat("p", 9000)+" HTTP/1.1\r\nHost: lab\r\n"+KeyHeader+": "+strings.Repeat("k", 9000)+"\r\n\r\n")
	respond(t, bufio.NewReader(c), "GET")
	if d := only(t, srv.Finish(time.Time{})); len(d.Path) != maxPath || len(d.Key) != maxKey || d.HeadBytes < 18000 {
		t.Errorf("path %d, key %d, head %d bytes", len(d.Path), len(d.Key), d.HeadBytes)
	}
}

package servers

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A rawH2 is a client that sends what it likes.
type rawH2 struct {
	*testing.T
	conn *net.TCPConn
	*http2.Framer
}

// dialH2 sends the preface and settings.
func dialH2(t *testing.T, srv *Server, settings ...http2.Setting) rawH2 {
	t.Helper()
	c := dial(t, srv.Addr())
	c.SetDeadline(time.Now().Add(patience))
	write(t, c, http2.ClientPreface)
	r := rawH2{t, c, http2.NewFramer(c, c)}
	r.must(r.WriteSettings(settings...))
	return r
}

func (r rawH2) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// block is a head's field block, without the dynamic table.
func block(path string, more ...hpack.HeaderField) []byte {
	var b bytes.Buffer
	enc := hpack.NewEncoder(&b)
	enc.SetMaxDynamicTableSize(0)
	for _, f := range append([]hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"},
		{Name: ":authority", Value: "lab"}, {Name: ":path", Value: path},
	}, more...) {
		enc.WriteField(f)
	}
	return b.Bytes()
}

func (r rawH2) head(id uint32, end bool, block []byte) {
	r.Helper()
	r.must(r.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block, EndHeaders: true, EndStream: end}))
}

// until reads frames to the first that is one of the wanted type.
func until[F http2.Frame](r rawH2) F {
	r.Helper()
	for {
		f, err := r.ReadFrame()
		if err != nil {
			var zero F
			r.Fatalf("no %T: %v", zero, err)
		}
		if want, ok := f.(F); ok {
			return want
		}
	}
}

// closed reads until the server has closed.
func (r rawH2) closed() {
	r.Helper()
	for {
		if _, err := r.ReadFrame(); err != nil {
			if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
				r.Fatal("the server does not close")
			}
			return
		}
	}
}

func TestStreamsShareAConnection(t *testing.T) {
	const streams = 40
	var all sync.WaitGroup // none is answered before all are here
	all.Add(streams)
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, func(s *Stream) {
		if s.ReadBody() == nil {
			all.Done()
			all.Wait()
			s.Answer(200, nil, s.BodySum())
		}
	}))
	r := dialH2(t, srv)
	want := map[uint32]string{}
	for i := range uint32(streams) {
		r.head(2*i+1, false, block("/"))
	}
	for i := range uint32(streams) {
		body := bytes.Repeat([]byte("x"), 100*int(i))
		r.must(r.WriteData(2*i+1, true, body))
		want[2*i+1] = sumOf(body)
	}
	for range streams {
		f := until[*http2.DataFrame](r)
		if got := string(f.Data()); got != want[f.StreamID] || !f.StreamEnded() {
			t.Errorf("stream %d: %q, want %q", f.StreamID, got, want[f.StreamID])
		}
	}
	rec := srv.Finish(time.Time{})
	if len(rec.Connections) != 1 || len(rec.Deliveries) != streams {
		t.Errorf("%d connections, %d deliveries", len(rec.Connections), len(rec.Deliveries))
	}
	for _, d := range rec.Deliveries {
		if d.Ended != EndedKept || d.Answered != 200 || d.Reused != (d.N > 1) {
			t.Errorf("delivery %+v", d)
		}
	}
}

func TestWhoBreaksTheRulesIsToldAndClosed(t *testing.T) {
	for _, tc := range []struct {
		why  string
		send func(rawH2)
		code HTTP2Code
	}{
		{"a stream of an even number is the server's", func(r rawH2) { r.head(2, true, block("/")) }, HTTP2ProtocolError},
		{"a body without a head", func(r rawH2) { r.must(r.WriteData(1, true, nil)) }, HTTP2ProtocolError},
		{"clients do not push", func(r rawH2) {
			r.must(r.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, BlockFragment: block("/"), EndHeaders: true}))
		}, HTTP2ProtocolError},
		{"a window past 2^31-1", func(r rawH2) { r.must(r.WriteWindowUpdate(0, 1<<31-1)) }, http2.ErrCodeFlowControl},
		{"an initial window past 2^31-1", func(r rawH2) {
			r.must(r.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 31}))
		}, http2.ErrCodeFlowControl},
		{"a frame larger than we take", func(r rawH2) { r.must(r.WriteRawFrame(http2.FrameData, 0, 1, make([]byte, h2FrameSize+1))) }, http2.ErrCodeFrameSize},
		{"a field block that is none", func(r rawH2) { r.head(1, true, []byte{0xff, 0xff, 0xff}) }, http2.ErrCodeCompression},
	} {
		t.Run(tc.why, func(t *testing.T) {
			srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, (*Stream).Stall))
			r := dialH2(t, srv)
			tc.send(r)
			if f := until[*http2.GoAwayFrame](r); f.ErrCode != tc.code {
				t.Errorf("GOAWAY %v, want %v", f.ErrCode, tc.code)
			}
			r.closed()
			if rec := srv.Finish(time.Time{}); len(rec.Deliveries) != 0 || rec.Saw() != SawConnection {
				t.Errorf("record %+v", rec)
			}
		})
	}
}

func TestAHeadThatCannotBeReadIsAPartOfOne(t *testing.T) {
	for _, tc := range []struct {
		why   string
		block []byte
		code  HTTP2Code
	}{
		{"an upper-case name", block("/", hpack.HeaderField{Name: "X-Upper", Value: "1"}), HTTP2ProtocolError},
		{"no path", block(""), HTTP2ProtocolError},
		{"a connection's field", block("/", hpack.HeaderField{Name: ":path", Value: "/"}), HTTP2ProtocolError},
	} {
		t.Run(tc.why, func(t *testing.T) {
			srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, (*Stream).Stall))
			r := dialH2(t, srv)
			r.head(1, true, tc.block)
			if f := until[*http2.RSTStreamFrame](r); f.StreamID != 1 || f.ErrCode != tc.code {
				t.Errorf("%+v, want %v", f, tc.code)
			}
			r.must(r.WritePing(false, [8]byte{7})) // the connection goes on
			if f := until[*http2.PingFrame](r); !f.IsAck() || f.Data != [8]byte{7} {
				t.Errorf("ping %+v", f)
			}
			if d := only(t, srv.Finish(time.Time{})); d.Saw() != SawPartHead || d.Ended != EndedRST {
				t.Errorf("delivery %+v", d)
			}
		})
	}
}

func TestAHeadPastItsBoundIsRefused(t *testing.T) {
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, (*Stream).Stall))
	r := dialH2(t, srv)
	big := block("/", hpack.HeaderField{Name: "x-big", Value: strings.Repeat("~", maxHead)})
	r.must(r.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: big[:h2FrameSize], EndStream: true}))
	for big = big[h2FrameSize:]; len(big) > 0; {
		n := min(len(big), h2FrameSize)
		r.must(r.WriteContinuation(1, n == len(big), big[:n]))
		big = big[n:]
	}
	if f := until[*http2.RSTStreamFrame](r); f.StreamID != 1 || f.ErrCode != HTTP2EnhanceYourCalm {
		t.Errorf("%+v, want ENHANCE_YOUR_CALM", f)
	}
	if d := only(t, srv.Finish(time.Time{})); d.Saw() != SawPartHead || d.Ended != EndedRST {
		t.Errorf("delivery %+v", d)
	}
}

func TestStreamsPastTheBoundAreRefused(t *testing.T) {
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{MaxStreams: 2}, (*Stream).Stall))
	r := dialH2(t, srv)
	for _, id := range []uint32{1, 3, 5} {
		r.head(id, true, block("/"))
	}
	if f := until[*http2.RSTStreamFrame](r); f.StreamID != 5 || f.ErrCode != HTTP2RefusedStream {
		t.Errorf("%+v, want 5 refused", f)
	}
	rec := srv.Finish(time.Time{})
	if len(rec.Deliveries) != 3 || rec.Deliveries[2].Ended != EndedRST || rec.Deliveries[1].Ended != EndedStalled {
		t.Errorf("record %+v", rec)
	}
}

// The promise of a GOAWAY holds for what was in flight too, and those up to
// its last stream go on.
func TestAGoAwayEndsOnlyWhatIsAboveIt(t *testing.T) {
	var mu sync.Mutex // 3 begins before 1 ends, but waits for its body
	var served []uint32
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, func(s *Stream) {
		mu.Lock()
		served = append(served, s.ID)
		mu.Unlock()
		switch {
		case s.ID == 1:
			s.ReadBody()
			s.Answer(200, nil, "done")
		case s.ReadBody() == nil:
			s.GoAway(1, HTTP2EnhanceYourCalm)
			s.Commit() // a fault may lie; the ledger tells
		}
	}))
	r := dialH2(t, srv)
	r.head(1, false, block("/1"))
	await(t, srv.Ledger(), "the first", func(r Record) bool { return len(r.Deliveries) == 1 })
	r.head(3, true, block("/3"))
	if f := until[*http2.GoAwayFrame](r); f.LastStreamID != 1 || f.ErrCode != HTTP2EnhanceYourCalm {
		t.Errorf("%+v", f)
	}
	r.head(5, true, block("/5"))
	r.must(r.WriteData(1, true, []byte("x")))
	if f := until[*http2.DataFrame](r); f.StreamID != 1 || string(f.Data()) != "done" || !f.StreamEnded() {
		t.Errorf("%+v", f)
	}
	rec := srv.Finish(time.Time{})
	if len(rec.Deliveries) != 3 || len(served) != 2 {
		t.Fatalf("served %v; record %+v", served, rec)
	}
	want := []struct {
		path      string
		answered  int
		committed bool
	}{{"/1", 200, false}, {"/3", 0, true}, {"/5", 0, false}}
	for i, d := range rec.Deliveries {
		if d.Path != want[i].path || d.Answered != want[i].answered || d.Committed != want[i].committed || d.Ended != EndedFIN || !d.Complete {
			t.Errorf("delivery %+v", d)
		}
	}
}

// A client that leaves in the midst of a request has cut it; one that has sent
// it whole leaves it without an answer.
func TestALostConnectionCutsWhatWasInItsMidst(t *testing.T) {
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, (*Stream).Stall))
	r := dialH2(t, srv)
	r.head(1, false, block("/"))
	r.must(r.WriteData(1, false, []byte("half")))
	r.head(3, true, block("/"))
	await(t, srv.Ledger(), "both", func(r Record) bool { return len(r.Deliveries) == 2 })
	r.must(r.conn.CloseWrite())
	r.closed()
	rec := srv.Finish(time.Time{})
	if d := rec.Deliveries[0]; d.Ended != EndedFIN || d.Saw() != SawPartBody || d.BodyBytes != 4 {
		t.Errorf("cut: %+v", d)
	}
	if d := rec.Deliveries[1]; d.Ended != EndedStalled || d.EndedAt.IsZero() || d.Saw() != SawRequest {
		t.Errorf("whole: %+v", d)
	}
}

func TestAClientsResetCutsAHalfRequest(t *testing.T) {
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, (*Stream).Stall))
	r := dialH2(t, srv)
	r.head(1, false, block("/"))
	r.must(r.WriteRSTStream(1, HTTP2Cancel))
	r.must(r.WritePing(false, [8]byte{}))
	until[*http2.PingFrame](r)
	if d := only(t, srv.Finish(time.Time{})); d.Ended != EndedRST || d.Saw() != SawHead {
		t.Errorf("delivery %+v", d)
	}
}

func TestTrailersEndABody(t *testing.T) {
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, func(s *Stream) {
		if s.ReadBody() == nil {
			s.Answer(204, nil, "")
		}
	}))
	r := dialH2(t, srv)
	r.head(1, false, block("/"))
	r.must(r.WriteData(1, false, []byte("x")))
	var b bytes.Buffer
	hpack.NewEncoder(&b).WriteField(hpack.HeaderField{Name: "x-sum", Value: "1"})
	r.head(1, true, b.Bytes())
	if f := until[*http2.HeadersFrame](r); !f.StreamEnded() {
		t.Errorf("%+v, want the end of the stream", f)
	}
	if d := only(t, srv.Finish(time.Time{})); !d.Complete || d.BodyBytes != 1 || d.Answered != 204 {
		t.Errorf("delivery %+v", d)
	}
}

// With a window of one byte a body goes out byte by byte, each when the client
// allows it.
func TestAnswersKeepToTheClientsWindows(t *testing.T) {
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, func(s *Stream) {
		if s.ReadBody() == nil {
			s.Answer(200, nil, "abc")
		}
	}))
	r := dialH2(t, srv, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1})
	r.head(1, true, block("/"))
	var got []byte
	for !bytes.Equal(got, []byte("abc")) {
		f := until[*http2.DataFrame](r)
		if len(f.Data()) != 1 {
			t.Fatalf("%d bytes through a window of 1", len(f.Data()))
		}
		got = append(got, f.Data()...)
		if f.StreamEnded() != (len(got) == 3) {
			t.Fatalf("ended %v after %q", f.StreamEnded(), got)
		}
		r.must(r.WriteWindowUpdate(1, 1))
	}
	if d := only(t, srv.Finish(time.Time{})); d.Answered != 200 || d.Ended != EndedKept {
		t.Errorf("delivery %+v", d)
	}
}

// A fault that says nothing has its stream cancelled, so that no client waits
// for it.
func TestAStreamThatAFaultLeavesOpenIsCancelled(t *testing.T) {
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, func(*Stream) {}))
	r := dialH2(t, srv)
	r.head(1, true, block("/"))
	if f := until[*http2.RSTStreamFrame](r); f.ErrCode != HTTP2Cancel {
		t.Errorf("%+v, want CANCEL", f)
	}
}

// Close must not wait for a client that reads nothing.
func TestCloseEndsAnAnswerThatNobodyReads(t *testing.T) {
	started := make(chan struct{})
	var failed error
	srv := Must[*Server](t)(NewHTTP2(HTTP2Options{}, func(s *Stream) {
		close(started)
		failed = s.Answer(200, nil, strings.Repeat("x", 32<<20))
	}))
	r := dialH2(t, srv, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
	r.must(r.WriteWindowUpdate(0, 1<<30))
	r.head(1, true, block("/"))
	<-started
	d := only(t, srv.Finish(time.Time{}))
	if failed == nil || d.Ended != EndedStalled {
		t.Errorf("fault: %v; delivery %+v", failed, d)
	}
	io.Copy(io.Discard, r.conn)
}

package servers

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// What an endpoint may send before it hears otherwise (RFC 9113 sections 6.5.2
// and 6.9.2), and what we let a client send: enough that a body never waits.
const (
	h2Window    = 65_535
	h2FrameSize = 16_384
	h2OurWindow = 1 << 20
)

// An h2Conn is one HTTP/2 connection. One goroutine reads its frames; each
// stream's fault has one of its own.
type h2Conn struct {
	c     *Conn
	fault func(*Stream)
	max   int // open streams
	wg    sync.WaitGroup

	wmu  sync.Mutex // whoever writes: frames of a block must not mix
	bw   *bufio.Writer
	fr   *http2.Framer // its reading half is serve's
	henc *hpack.Encoder
	hbuf bytes.Buffer

	mu      sync.Mutex
	moved   *sync.Cond // of mu: a stream or a window has changed
	streams map[uint32]*Stream
	last    uint32 // the highest that the client has opened
	limit   uint32 // the highest that we serve: GOAWAY lowers it
	window  int64  // what we may still send on the connection
	initial int64  // and on a new stream
}

func newH2Conn(c *Conn, fault func(*Stream), maxStreams int) *h2Conn {
	h := &h2Conn{
		c: c, fault: fault, max: maxStreams, bw: bufio.NewWriter(c.rw),
		streams: map[uint32]*Stream{}, limit: math.MaxUint32, window: h2Window, initial: h2Window,
	}
	h.moved = sync.NewCond(&h.mu)
	h.fr = http2.NewFramer(h.bw, c.br)
	h.fr.SetMaxReadFrameSize(h2FrameSize)
	h.fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	h.fr.MaxHeaderListSize = maxHead
	h.henc = hpack.NewEncoder(&h.hbuf)
	return h
}

// serve is the connection's life: it returns when the client has left or the
// server closes, and the last fault has ended.
func (h *h2Conn) serve() {
	defer h.wg.Wait()
	if h.greet() != nil {
		return
	}
	for {
		f, err := h.fr.ReadFrame()
		if err == nil {
			err = h.take(f)
		}
		if err == nil {
			continue
		}
		if se, ok := errors.AsType[http2.StreamError](err); ok {
			h.broken(se)
			continue
		}
		if code, ok := violation(err); ok {
			// We may have acted on every stream. Whether it is heard is not ours.
			_ = h.goAway(math.MaxInt32, code)
			h.fin()
		}
		h.lost(err)
		return
	}
}

// violation is the code of an error that the client has made.
func violation(err error) (HTTP2Code, bool) {
	if code, ok := errors.AsType[http2.ConnectionError](err); ok {
		return HTTP2Code(code), true
	}
	return http2.ErrCodeFrameSize, errors.Is(err, http2.ErrFrameTooLarge)
}

// greet sends our settings.
func (h *h2Conn) greet() error {
	return h.write(func() error {
		err := h.fr.WriteSettings(
			http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: uint32(h.max)},
			http2.Setting{ID: http2.SettingInitialWindowSize, Val: h2OurWindow},
			http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: maxHead},
		)
		if err != nil {
			return err
		}
		return h.fr.WriteWindowUpdate(0, h2OurWindow-h2Window)
	})
}

// write sends the frames that frames writes, together.
func (h *h2Conn) write(frames func() error) error {
	h.wmu.Lock()
	defer h.wmu.Unlock()
	if err := frames(); err != nil {
		return fmt.Errorf("write frame: %w", err)
	}
	if err := h.bw.Flush(); err != nil {
		return fmt.Errorf("send frames: %w", err)
	}
	return nil
}

// goAway ends every stream above last, now and later (RFC 9113 section 6.8).
func (h *h2Conn) goAway(last uint32, code HTTP2Code) error {
	h.mu.Lock()
	h.limit = min(h.limit, last)
	for id, s := range h.streams {
		if id > h.limit {
			s.end(EndedFIN, errGoneAway)
		}
	}
	h.mu.Unlock()
	return h.write(func() error { return h.fr.WriteGoAway(last, code, nil) })
}

// fin closes our sending half in order and goes on reading, so that the close
// that follows is never a reset.
func (h *h2Conn) fin() {
	h.endAll(EndedFIN)
	h.wmu.Lock()
	defer h.wmu.Unlock()
	if t, ok := h.c.rw.(*tls.Conn); ok {
		_ = t.CloseWrite() // the FIN follows, whatever becomes of the goodbye
	}
	h.c.CloseWrite()
}

// rst resets the connection, and with it every stream.
func (h *h2Conn) rst() {
	h.endAll(EndedRST)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.c.RST()
}

// endAll ends every open stream with its connection.
func (h *h2Conn) endAll(how string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limit = 0
	for _, s := range h.streams {
		s.end(how, errConnEnded)
	}
}

// lost ends what is open when the client leaves: a delivery in its midst is
// cut, a complete one stays stalled. When the server closes, all are.
func (h *h2Conn) lost(err error) {
	how := departure(err)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limit = 0
	for _, s := range h.streams {
		switch {
		case how == "" || h.c.s.closing():
			s.end("", errConnEnded)
		case s.complete:
			s.abandon(errConnEnded)
		default:
			s.end(how, errConnEnded)
		}
	}
}

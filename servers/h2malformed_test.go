package servers

import (
	"bytes"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// A request whose body is not as long as it says is malformed, and never
// complete: RFC 9113 section 8.1.1.
func TestABodyOfAnotherLengthIsMalformed(t *testing.T) {
	for _, tt := range []struct {
		sentence, said string
		parts          []string // the last with END_STREAM
		trailers       bool
		code           HTTP2Code // HTTP2NoError: it is answered
	}{
		{"as long as it says", "3", []string{"a", "bc"}, false, HTTP2NoError},
		{"without a length", "", []string{"abc"}, false, HTTP2NoError},
		{"too short", "5", []string{"ab"}, false, HTTP2ProtocolError},
		{"too long", "1", []string{"ab", "c"}, false, HTTP2ProtocolError},
		{"too short before trailers", "5", []string{"ab"}, true, HTTP2ProtocolError},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			o := NewOrigin(t)
			call := o.Call("200")
			h := dialH2(t, o.Server)
			var length []hpack.HeaderField
			if tt.said != "" {
				length = []hpack.HeaderField{{Name: "content-length", Value: tt.said}}
			}
			h.head(1, false, block("/c/"+call.ID()+"/", length...))
			for i, part := range tt.parts {
				h.must(h.WriteData(1, i == len(tt.parts)-1 && !tt.trailers, []byte(part)))
			}
			if tt.trailers {
				h.head(1, true, nil)
			}
			if tt.code == HTTP2NoError {
				until[*http2.HeadersFrame](h)
			} else if f := until[*http2.RSTStreamFrame](h); f.ErrCode != tt.code {
				t.Errorf("reset with %v, want %v", f.ErrCode, tt.code)
			}
			awaitCall(t, call, func(r CallRecord) bool { return r.InFlight == 0 })
			if d := call.Record().Ledger[0]; d.Complete != (tt.code == HTTP2NoError) || d.Committed != d.Complete {
				t.Errorf("delivery %+v", d)
			}
		})
	}
}

// A head that lacks what every request has is no request's: RFC 9113 section
// 8.3.1.
func TestAHeadWithoutMethodIsMalformed(t *testing.T) {
	o := NewOrigin(t)
	h := dialH2(t, o.Server)
	var b bytes.Buffer
	if err := hpack.NewEncoder(&b).WriteField(hpack.HeaderField{Name: ":path", Value: "/503"}); err != nil {
		t.Fatal(err)
	}
	h.head(1, true, b.Bytes())
	if f := until[*http2.RSTStreamFrame](h); f.ErrCode != HTTP2ProtocolError {
		t.Errorf("reset with %v", f.ErrCode)
	}
	if s := o.Stats(); len(s.Deliveries) != 0 || s.Strays != 1 {
		t.Errorf("%+v", s)
	}
}

package retry

import (
	"net/http"
	"strconv"
)

// rangeOf asks for a body from its byte at.
type rangeOf struct {
	at   int64
	etag string // empty: for all of it
}

func (r rangeOf) header(h http.Header) http.Header {
	if r.etag == "" {
		return h
	}
	if h = h.Clone(); h == nil {
		h = http.Header{}
	}
	h.Set("Range", "bytes="+strconv.FormatInt(r.at, 10)+"-")
	h.Set("If-Range", r.etag)
	return h
}

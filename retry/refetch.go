package retry

import (
	"io"
	"net/http"
	"strings"
)

// mayRefetch: a body that breaks off may be fetched again, because a second
// delivery of the request is harmless.
func (c *call) mayRefetch(resp *http.Response) bool {
	return c.p.RefetchTruncated > 0 && c.remember().rest.etag == "" && resp.StatusCode >= 200 && resp.StatusCode < 300 &&
		resp.Body != nil && resp.Body != http.NoBody && methodOf(c.in.Method) != http.MethodHead &&
		(repeatable(c.method) || c.keyed())
}

// holdBack reads the beginning of a body and puts it back. It returns the error
// with which the body broke off in it, nil if it is whole or goes on.
func (c *call) holdBack(resp *http.Response) error {
	h := &heldBack{ReadCloser: resp.Body}
	h.begin, h.err = io.ReadAll(io.LimitReader(resp.Body, c.p.RefetchTruncated))
	resp.Body = h
	switch {
	case h.err != nil:
		return h.err
	case int64(len(h.begin)) < c.p.RefetchTruncated:
		h.err = io.EOF
	}
	return nil
}

// heldBack is a body of which the beginning is here; err is what comes after
// it, nil: more.
type heldBack struct {
	io.ReadCloser
	begin []byte
	err   error
}

func (h *heldBack) Read(p []byte) (int, error) {
	if len(h.begin) > 0 {
		n := copy(p, h.begin)
		h.begin = h.begin[n:]
		return n, nil
	}
	if h.err != nil {
		return 0, h.err
	}
	return h.ReadCloser.Read(p)
}

// resumable returns the strong ETag with which the rest of a body that is
// longer than what was held back can be asked for; empty: it cannot.
func (c *call) resumable(resp *http.Response) string {
	h, ok := resp.Body.(*heldBack)
	if !ok {
		return ""
	}
	etag := resp.Header.Get("Etag")
	whole := methodOf(c.in.Method) == http.MethodGet && c.in.Header.Get("Range") == "" &&
		resp.StatusCode == http.StatusOK && !resp.Uncompressed && resp.Header.Get("Accept-Ranges") != "none"
	if h.err != nil || !whole || !strings.HasPrefix(etag, `"`) {
		return ""
	}
	return etag
}

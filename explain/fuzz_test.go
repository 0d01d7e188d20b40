package explain_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/explain"
)

// seeds are texts in which a parser gets lost.
var seeds = []string{
	"", "\x00", "\xff\xfe", "\\", "\\u", "\\u00", "&", "&quot", "\x1b", "\x1b[", "\x1b]0;title\x07read ECONNRESET", "\\\\\\\\\\n",
	strings.Repeat("{\"a\":", 2000) + "\"read ECONNRESET\"", strings.Repeat("[", 5000), strings.Repeat("\\", 5000) + "\"",
	"lookup lookup lookup : i/o timeout", "Error code: 999", "status code 1000", "retry after 99999999999999999999 seconds",
	"dial tcp [::1", "http://user:secret@host.example/ read ECONNRESET", "stream ID 1; ", "LastStreamID=", strings.Repeat("EOF\n", 300),
	"attempt attempt attempt 2 2 2", "[curl] 28:", "_ssl.c:", "HTTP/1.1 ", "\r\n\r\n\r\nECONNREFUSED\r\n", "connection ref",
}

func FuzzText(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	for _, table := range explain.Tables() {
		for i, e := range table.Entries {
			if i%9 == 0 {
				f.Add([]byte(e.Example))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		checkResult(t, text, explain.Text(text))
	})
}

// checkResult fails where an answer cannot be.
func checkResult(t *testing.T, text []byte, r explain.Result) {
	t.Helper()
	for i := range r.Answers {
		a := &r.Answers[i]
		if a.Range[0] < 0 || a.Range[1] > len(text) || a.Range[0] > a.Range[1] {
			t.Errorf("Text(%q): range %v of %d bytes", text, a.Range, len(text))
		}
		if a.Code == "" || a.Phase == "" || a.Processed == "" || a.Get == "" || a.Post == "" || a.PostKey == "" || a.Why == "" {
			t.Errorf("Text(%q): an empty cell in %+v", text, a)
		}
		if a.Code == classifier.Unknown && (a.Post != explain.CellUnknown || len(a.Nearest) != 2) {
			t.Errorf("Text(%q): a guess: %+v", text, a)
		}
		if a.Processed != classifier.Never && (a.Post == explain.CellYes || a.Post == explain.CellWait || a.Post == explain.CellModified) {
			t.Errorf("Text(%q): processed %s, and a bare POST is sent again by %s", text, a.Processed, a.Entry)
		}
		for _, s := range []string{a.Host, a.Method, a.Why, a.Open, a.Settle} {
			if strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f }) {
				t.Errorf("Text(%q): %q is not printable", text, s)
			}
		}
	}
	if r.Operation != nil && len(r.Answers) == 0 {
		t.Errorf("Text(%q): an operation without an answer", text)
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte("2024-01-02T03:04:05Z read ECONNRESET\n    at x\nok\n"))
	f.Add([]byte(strings.Repeat("a", 70_000) + "\nconnection refused"))
	f.Add([]byte("Traceback (most recent call last):\n  File \"x\"\nConnectionResetError: [Errno 104] Connection reset by peer\n"))
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var records int64
		s, err := explain.Log(context.Background(), bytes.NewReader(text), explain.LogOptions{Workers: 2, OnRecord: func(r explain.LogRecord) {
			records++
			if !utf8.ValidString(r.Text) || strings.ContainsFunc(r.Text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
				t.Errorf("Log(%q): record %q is not printable", text, r.Text)
			}
		}})
		if err != nil {
			t.Fatalf("Log(%q): %v", text, err)
		}
		if s.Bytes != int64(len(text)) || s.Records != records {
			t.Errorf("Log(%q): %d of %d bytes, %d of %d records", text, s.Bytes, len(text), s.Records, records)
		}
	})
}

func FuzzDecompress(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := explain.Decompress(bytes.NewReader(b))
		if err != nil {
			return
		}
		defer r.Close()
		if _, err := io.Copy(io.Discard, io.LimitReader(r, 1<<20)); err != nil {
			return
		}
	})
}

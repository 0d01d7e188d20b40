package servers

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// A Break is how an answer goes wrong once it has begun.
type Break string

const (
	TruncatedLength Break = "truncated-length"    // the body ends before its Content-Length
	TruncatedChunk  Break = "truncated-chunk"     // the body ends before its last chunk
	ResetMidBody    Break = "reset-mid-body"      // a reset in the midst of the body
	CloseDelimited  Break = "close-delimited-cut" // a body that only the close ends, cut: nothing is missing
	GzipCut         Break = "gzip-cut"            // the framing is whole, the compressed data in it is not
	TruncatedHead   Break = "truncated-head"      // the head ends inside a field's name
	Garbage         Break = "garbage"             // another protocol's greeting
	HeadTooLarge    Break = "head-too-large"      // the head is 64 KiB long
)

// BrokenBody is how many bytes the body of a broken answer was to have, before
// any compression.
const BrokenBody = 1000

// wholeBody is the body that a broken answer breaks off.
var wholeBody = strings.Repeat("paid ", BrokenBody/5)

// broken is what each Break sends, and whether a reset ends it.
type broken struct {
	raw    string
	status int // whose head raw holds; 0: none
	reset  bool
}

// NewBroken reads every request whole, commits it, answers in that broken way,
// and ends the connection. The work is done, whatever the client can make of
// the answer.
func NewBroken(o Options, how Break) (*Server, error) {
	b, err := breakOf(how)
	if err != nil {
		return nil, err
	}
	return start(o, http1(func(x *Exchange) {
		if x.ReadBody() != nil {
			return
		}
		x.Commit()
		if x.Send(b.raw, b.status) != nil {
			return // a client that has read enough leaves
		}
		if b.reset {
			x.RST()
			return
		}
		x.FIN()
	}))
}

// breakOf makes the bytes of a Break.
func breakOf(how Break) (broken, error) {
	const half = BrokenBody / 2
	switch how {
	case TruncatedLength:
		return broken{raw: cut(response(wholeBody, ""), half), status: http.StatusOK}, nil
	case ResetMidBody:
		return broken{raw: cut(response(wholeBody, ""), half), status: http.StatusOK, reset: true}, nil
	case TruncatedChunk:
		chunk := strconv.FormatInt(half, 16) + "\r\n" + wholeBody[:half] + "\r\n"
		return broken{raw: head("Transfer-Encoding: chunked\r\n") + chunk, status: http.StatusOK}, nil
	case CloseDelimited:
		return broken{raw: head("Connection: close\r\n") + wholeBody[:half], status: http.StatusOK}, nil
	case GzipCut:
		packed, err := pack(wholeBody)
		if err != nil {
			return broken{}, err
		}
		const end = 5 + 8 // the last, empty block and the trailer
		return broken{raw: response(cut(packed, half+end), "Content-Encoding: gzip\r\n"), status: http.StatusOK}, nil
	case TruncatedHead:
		return broken{raw: "HTTP/1.1 200 OK\r\nContent-Le"}, nil
	case Garbage:
		return broken{raw: "SSH-2.0-lab\r\n"}, nil
	case HeadTooLarge:
		field := "Lab-Field: " + strings.Repeat("x", 1000) + "\r\n"
		return broken{raw: head(strings.Repeat(field, 65)), status: http.StatusOK}, nil
	}
	return broken{}, fmt.Errorf("unknown break %q", how)
}

// head is the head of a 200 with these field lines.
func head(fields string) string { return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" }

// response is a whole 200 with its Content-Length.
func response(body, fields string) string {
	return head(fields+"Content-Length: "+strconv.Itoa(len(body))+"\r\n") + body
}

// cut drops the last n bytes.
func cut(s string, n int) string { return s[:len(s)-n] }

// pack is s as gzip, stored and not compressed, so that how much of a cut
// stream can be read does not depend on the compressor.
func pack(s string) (string, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err == nil {
		_, err = w.Write([]byte(s))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return "", fmt.Errorf("pack: %w", err)
	}
	return b.String(), nil
}

package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/retry-lab/retry-lab/explain"
)

// mostInput bounds a text that is read as one, in bytes.
const mostInput = 128 << 20

// An input is a file or stdin, decompressed.
type input struct {
	io.ReadCloser
	name string       // as messages call it
	file io.Closer    // nil: stdin
	size int64        // of the file, in bytes; 0 where it is not known
	read atomic.Int64 // how many of them were read
}

// openInput opens the file of that name; "" and "-" are stdin. Where follow is
// set a file goes on as it grows. ctx ends a read that waits.
func (a *app) openInput(ctx context.Context, name string, follow bool) (*input, error) {
	in := &input{name: "stdin"}
	raw := a.stdin
	switch {
	case name == "" && isTerminal(a.stdin):
		return nil, usageError(askText, "nothing to explain")
	case name != "" && name != "-":
		f, err := os.Open(name)
		if err != nil {
			return nil, usageError("", "cannot read %s: %w", name, cause(err))
		}
		in.name, in.file, raw = name, f, f
	}
	regular, err := in.stat(raw)
	if err != nil {
		return nil, err
	}
	switch {
	case !regular:
		raw = newPatient(ctx, raw)
	case follow:
		raw = newFollower(ctx, raw.(*os.File), in)
	}
	in.ReadCloser, err = explain.Decompress(countedReader{raw, &in.read})
	if err != nil {
		in.Close()
		return nil, in.broken(err)
	}
	return in, nil
}

// stat tells whether raw is a plain file, which never makes a reader wait.
func (in *input) stat(raw io.Reader) (regular bool, err error) {
	f, ok := raw.(*os.File)
	if !ok {
		return false, nil
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		in.Close()
		return false, in.broken(err)
	case info.IsDir():
		in.Close()
		return false, usageError("", "cannot read %s: it is a directory", in.name)
	}
	if info.Mode().IsRegular() {
		in.size = info.Size()
		return true, nil
	}
	return false, nil
}

// Close closes the file, and never stdin.
func (in *input) Close() error {
	if in.ReadCloser != nil {
		in.ReadCloser.Close() // a decompressor: it holds memory alone
	}
	if in.file != nil {
		return in.file.Close()
	}
	return nil
}

// broken is the error of an input that cannot be read, or not to its end.
func (in *input) broken(err error) error {
	return brokenError("", fmt.Errorf("cannot read %s: %w", in.name, cause(err)))
}

// all reads the input to its end.
func (in *input) all() ([]byte, error) {
	var text bytes.Buffer
	text.Grow(int(min(in.size, mostInput)) + bytes.MinRead)
	if _, err := text.ReadFrom(io.LimitReader(in, mostInput+1)); err != nil {
		return nil, in.broken(err)
	}
	if text.Len() > mostInput {
		return nil, usageError("--log finds the failures in a log of any size", "%s is longer than %d MiB", in.name, mostInput>>20)
	}
	return text.Bytes(), nil
}

// A countedReader counts what is read.
type countedReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// A patient reader can wait for a pipe or a terminal, and is still interrupted
// by its context: the read itself goes on behind it.
type patient struct {
	ctx  context.Context
	got  chan piece
	free chan []byte
	left piece // what was read and not handed on
}

type piece struct {
	text []byte
	buf  []byte // that text is of
	err  error
}

func newPatient(ctx context.Context, r io.Reader) *patient {
	p := &patient{ctx: ctx, got: make(chan piece), free: make(chan []byte, 2)}
	for range cap(p.free) {
		p.free <- make([]byte, 64<<10)
	}
	go p.loop(r)
	return p
}

func (p *patient) loop(r io.Reader) {
	for {
		var buf []byte
		select {
		case buf = <-p.free:
		case <-p.ctx.Done():
			return
		}
		n, err := r.Read(buf)
		select {
		case p.got <- piece{buf[:n], buf, err}:
		case <-p.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (p *patient) Read(b []byte) (int, error) {
	for len(p.left.text) == 0 {
		if p.left.err != nil {
			return 0, p.left.err
		}
		if p.left.buf != nil {
			p.free <- p.left.buf
			p.left.buf = nil
		}
		select {
		case p.left = <-p.got:
		case <-p.ctx.Done():
			return 0, p.ctx.Err()
		}
	}
	n := copy(b, p.left.text)
	p.left.text = p.left.text[n:]
	return n, nil
}

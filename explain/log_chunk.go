package explain

import (
	"bytes"
	"context"
	"io"
)

const (
	chunkOwn   = 512 << 10 // bytes of the log that a chunk answers for
	chunkExtra = 64 << 10  // bytes before and after, to see whole records
)

// chunk is a piece of a log. Records that begin in buf[from:to] are its own;
// what stands before and after lets it see them whole.
type chunk struct {
	buf      []byte
	from, to int
	base     int64 // of buf[0] in the log
	done     chan struct{}
	found    []LogRecord
}

// pipeline takes chunks from the reader through the workers to the tally, in
// order, with a fixed number of them.
type pipeline struct {
	free  chan *chunk
	todo  chan *chunk
	order chan *chunk
	err   error // of the reader; read it after order is closed
}

func newPipeline(workers int) *pipeline {
	n := workers + 2
	p := &pipeline{free: make(chan *chunk, n), todo: make(chan *chunk, n), order: make(chan *chunk, n)}
	for range n {
		p.free <- &chunk{buf: make([]byte, 0, chunkOwn+2*chunkExtra)}
	}
	return p
}

// read cuts r into chunks at ends of lines.
func (p *pipeline) read(ctx context.Context, r io.Reader, follow bool) {
	defer close(p.order)
	defer close(p.todo)
	var carry []byte // what the next chunk begins with
	var from int     // where in carry its own part begins
	var base int64
	for {
		var c *chunk
		select {
		case c = <-p.free:
		case <-ctx.Done():
			p.err = ctx.Err()
			return
		}
		c.buf = append(c.buf[:0], carry...)
		c.from, c.base, c.done, c.found = from, base, make(chan struct{}), c.found[:0]
		err := c.fill(ctx, r, follow)
		c.to = len(c.buf)
		if err == nil {
			c.to = c.lastLine(follow)
		}
		p.order <- c
		keep := max(0, c.to-chunkExtra)
		carry = append(carry[:0], c.buf[keep:]...)
		from, base = c.to-keep, c.base+int64(keep)
		p.todo <- c
		if err != nil {
			if err != io.EOF {
				p.err = err
			}
			return
		}
	}
}

// fill reads until the chunk is full. With follow one read is enough.
func (c *chunk) fill(ctx context.Context, r io.Reader, follow bool) error {
	want := min(c.from+chunkOwn+chunkExtra, cap(c.buf))
	for empty := 0; len(c.buf) < want; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(c.buf[len(c.buf):want])
		c.buf = c.buf[:len(c.buf)+n]
		switch {
		case err != nil:
			return err
		case n == 0:
			if empty++; empty > 100 {
				return io.ErrNoProgress
			}
		case follow && bytes.IndexByte(c.buf[c.from:], '\n') >= 0:
			return nil
		}
	}
	return nil
}

// lastLine is where the chunk's own part ends: after the last end of line that
// leaves something to look ahead to.
func (c *chunk) lastLine(follow bool) int {
	end := min(c.from+chunkOwn, len(c.buf))
	if !follow && len(c.buf)-end < chunkExtra {
		end = max(c.from, len(c.buf)-chunkExtra)
	}
	if i := bytes.LastIndexByte(c.buf[c.from:end], '\n'); i >= 0 {
		return c.from + i + 1
	}
	return end
}

// work reads chunks until there are none.
func (p *pipeline) work(o *LogOptions) {
	reading := readings.Get().(*reading)
	defer reading.release()
	for c := range p.todo {
		c.search(reading, o)
		close(c.done)
	}
}

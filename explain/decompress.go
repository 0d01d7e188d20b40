package explain

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// ErrExpands is the error of a compressed input that expands as no log does.
var ErrExpands = errors.New("compressed input expands too much to be a log")

const (
	// mostRatio is how often a compressed log may hold its own size; 20 to 200
	// is usual. It is asked only beyond freeBytes.
	mostRatio = 500
	freeBytes = 64 << 20

	// mostWindow bounds what a zstd frame may make the decoder remember.
	mostWindow = 32 << 20
)

// Decompress reads r, and what is in it where it is compressed with gzip or zstd,
// which it tells by the first bytes. It does not close r. A compressed input
// that expands more than 500 times, and beyond 64 MiB, ends with an error that
// is ErrExpands.
func Decompress(r io.Reader) (io.ReadCloser, error) {
	counted := &countingReader{r: r}
	buffered := bufio.NewReaderSize(counted, 64<<10)
	magic, err := buffered.Peek(4)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read the first bytes: %w", err)
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		return &bounded{r: z, close: z.Close, in: counted}, nil
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		return &bounded{r: z, close: func() error { z.Close(); return nil }, in: counted}, nil
	}
	if len(magic) == 0 {
		return io.NopCloser(buffered), nil
	}
	return &plain{first: buffered, rest: r}, nil
}

// plain reads what is buffered and then goes past the buffer.
type plain struct {
	first *bufio.Reader
	rest  io.Reader
}

func (p *plain) Read(b []byte) (int, error) {
	if p.first != nil {
		if n := p.first.Buffered(); n > 0 {
			return p.first.Read(b[:min(n, len(b))])
		}
		p.first = nil
	}
	return p.rest.Read(b)
}

func (p *plain) Close() error { return nil }

// countingReader counts what was read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// bounded is a decompressor that gives up on a bomb.
type bounded struct {
	r     io.Reader
	close func() error
	in    *countingReader
	out   int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.out += int64(n)
	if b.out > freeBytes && b.out > mostRatio*b.in.n {
		return 0, fmt.Errorf("%w: %d bytes came out of %d, more than %d times as many", ErrExpands, b.out, b.in.n, mostRatio)
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("decompress: %w", err)
	}
	return n, err
}

func (b *bounded) Close() error { return b.close() }

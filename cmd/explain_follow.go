package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// look is how often a followed file is looked at.
const look = 200 * time.Millisecond

// A follower reads a file and waits at its end until there is more, as tail -F
// does: a file that was cut short is read from its begin, and where another has
// taken the name, that is read.
type follower struct {
	ctx context.Context
	f   *os.File
	in  *input // holds the file that is to be closed
	at  int64  // bytes of f that were read
}

func newFollower(ctx context.Context, f *os.File, in *input) *follower {
	return &follower{ctx: ctx, f: f, in: in}
}

func (w *follower) Read(p []byte) (int, error) {
	timer := time.NewTimer(look)
	defer timer.Stop()
	for {
		n, err := w.f.Read(p)
		w.at += int64(n)
		if n > 0 || err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		select {
		case <-w.ctx.Done():
			return 0, w.ctx.Err()
		case <-timer.C:
			timer.Reset(look)
		}
		if err := w.again(); err != nil {
			return 0, err
		}
	}
}

// again finds the file that is to be read now.
func (w *follower) again() error {
	open, err := w.f.Stat()
	if err != nil {
		return err
	}
	if open.Size() < w.at {
		w.at = 0
		_, err := w.f.Seek(0, io.SeekStart)
		return err
	}
	if w.in.file == nil {
		return nil // stdin has no name
	}
	named, err := os.Stat(w.in.name)
	if err != nil || os.SameFile(open, named) {
		return nil // between two files, there may be none of the name
	}
	f, err := os.Open(w.in.name)
	if err != nil {
		return nil
	}
	w.f.Close()
	w.f, w.in.file, w.at = f, f, 0
	return nil
}

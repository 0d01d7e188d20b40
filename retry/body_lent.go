package retry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// lent is a body that stays ours: an attempt gets a lease of it, closing which
// leaves it open for the next attempt.
type lent struct {
	orig   io.ReadCloser
	seeker io.Seeker // nil: it cannot be rewound
	start  int64     // where it stood
	limit  int64     // of what is kept, where it cannot be rewound

	mu       sync.Mutex
	kept     []byte // what was read of it so far
	lost     bool   // something that was read was not kept
	lease    *lease // the last one
	finished bool
	closed   bool
}

// replayable: all that was read of it can be read again.
func (l *lent) replayable() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seeker != nil || !l.lost
}

// lend gives the body out from its first byte, once the last lease is free.
func (l *lent) lend(ctx context.Context) (io.ReadCloser, error) {
	l.mu.Lock()
	last := l.lease
	l.mu.Unlock()
	if last != nil {
		if err := await(ctx, last.free); err != nil {
			return nil, err
		}
		if l.seeker != nil {
			if _, err := l.seeker.Seek(l.start, io.SeekStart); err != nil {
				return nil, fmt.Errorf("rewind body: %w", err)
			}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seeker == nil && l.lost {
		return nil, errBodyLost
	}
	l.lease = &lease{l: l, free: make(chan struct{})}
	return l.lease, nil
}

var errBodyLost = errors.New("the body is too long to be kept for another attempt")

// keep enters what was read, as long as it fits; the caller holds mu.
func (l *lent) keep(p []byte) {
	switch {
	case l.seeker != nil || len(p) == 0 || l.lost:
	case int64(len(l.kept)+len(p)) > l.limit:
		l.lost, l.kept = true, nil
	default:
		l.kept = append(l.kept, p...)
	}
}

// finish closes the body, now or when the last lease is free.
func (l *lent) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = true
	l.closeIfFree()
}

// closeIfFree is called under mu. A Read that is under way is no reason to
// wait: Close may be what ends it.
func (l *lent) closeIfFree() {
	if l.finished && (l.lease == nil || l.lease.closed) {
		l.close()
	}
}

// close is called under mu. A Close that waits for a Read keeps nobody else
// waiting, as in net/http, where too the error of closing a request's body is
// nobody's concern.
func (l *lent) close() {
	switch {
	case l.closed:
		return
	case l.lease != nil && l.lease.reading:
		go l.orig.Close()
	default:
		_ = l.orig.Close()
	}
	l.closed = true
}

// abandon closes the body, whoever has it.
func (l *lent) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.close()
}

// lease is the body of one attempt.
type lease struct {
	l    *lent
	free chan struct{} // closed when it is closed and nobody reads

	// Under l.mu:
	at      int // in kept
	reading bool
	closed  bool
}

var errReadAfterClose = errors.New("retry: body read after close")

// Read reads what was kept, and then on from the original. The lock is not
// held meanwhile: the original may block, and Close may not.
func (s *lease) Read(p []byte) (int, error) {
	l := s.l
	l.mu.Lock()
	if s.closed {
		l.mu.Unlock()
		return 0, errReadAfterClose
	}
	if s.at < len(l.kept) {
		n := copy(p, l.kept[s.at:])
		s.at += n
		l.mu.Unlock()
		return n, nil
	}
	s.reading = true
	l.mu.Unlock()

	n, err := l.orig.Read(p)

	l.mu.Lock()
	defer l.mu.Unlock()
	s.reading = false
	l.keep(p[:n])
	s.at = len(l.kept)
	if s.closed {
		close(s.free)
	}
	return n, err
}

// Close ends the lease.
func (s *lease) Close() error {
	l := s.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if !s.reading {
		close(s.free)
	}
	l.closeIfFree()
	return nil
}

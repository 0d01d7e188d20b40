package servers

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// maxPaths bounds the paths a rate limiter remembers.
const maxPaths = 10_000

// NewRateLimit answers 429 with Retry-After until window has passed since the
// first request of that path, then 200. Retry-After is what is left in whole
// seconds, rounded up, at least 1. It knows the last 10,000 paths; one that it
// had to forget is new again.
func NewRateLimit(o Options, window time.Duration) (*Server, error) {
	l := &limiter{window: window, limit: maxPaths, now: time.Now, first: map[string]time.Time{}}
	return start(o, http1(func(x *Exchange) {
		if x.ReadBody() != nil {
			return
		}
		if left := l.left(x.Request.URL.Path); left > 0 {
			h := http.Header{"Retry-After": {strconv.FormatInt(retryAfter(left), 10)}}
			_ = x.Answer(http.StatusTooManyRequests, h, "")
			return
		}
		_ = x.Answer(http.StatusOK, nil, "")
	}))
}

// retryAfter is a wait in the header's whole seconds, never too short.
func retryAfter(left time.Duration) int64 {
	return max(1, int64((left+time.Second-1)/time.Second))
}

// A limiter remembers when each path was first asked for.
type limiter struct {
	window time.Duration
	limit  int
	now    func() time.Time

	mu    sync.Mutex
	first map[string]time.Time
	order []string // of first, the oldest first
}

// left is what remains of a path's window. The first call for a path opens it.
func (l *limiter) left(path string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	first, ok := l.first[path]
	if !ok {
		if len(l.order) == l.limit {
			delete(l.first, l.order[0])
			l.order = l.order[1:]
		}
		first = now
		l.first[path] = first
		l.order = append(l.order, path)
	}
	return l.window - now.Sub(first)
}

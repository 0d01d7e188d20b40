package audit

import (
	"errors"
	"os"
	"sync"
	"time"
)

// What is kept of what a command prints: its beginning and its end. One that
// prints more than flood is killed.
const (
	keptOutput = 32 << 10
	flood      = 256 << 20
)

// An output reads what a command prints, to its end, and keeps a part.
type output struct {
	r       *os.File
	flooded func() // called once
	done    chan struct{}

	mu         sync.Mutex
	head, tail []byte
	total      int64
}

// collect reads r until it ends, or drain gives it up.
func collect(r *os.File, flooded func()) *output {
	o := &output{r: r, flooded: flooded, done: make(chan struct{})}
	go o.read()
	return o
}

func (o *output) read() {
	defer close(o.done)
	buf := make([]byte, 64<<10)
	for {
		n, err := o.r.Read(buf)
		o.keep(buf[:n])
		if err != nil { // io.EOF, or drain's deadline: nothing more is wanted
			return
		}
	}
}

func (o *output) keep(p []byte) {
	o.mu.Lock()
	before := o.total
	o.total += int64(len(p))
	if room := keptOutput - len(o.head); room > 0 {
		n := min(room, len(p))
		o.head, p = append(o.head, p[:n]...), p[n:]
	}
	o.tail = append(o.tail, p...)
	if len(o.tail) > keptOutput {
		o.tail = append(o.tail[:0], o.tail[len(o.tail)-keptOutput:]...)
	}
	now := o.total
	o.mu.Unlock()
	if before <= flood && now > flood {
		o.flooded()
	}
}

// drain waits until the last process that holds the pipe is gone, at most for
// patience, and closes it.
func (o *output) drain(patience time.Duration) error {
	err := o.r.SetReadDeadline(time.Now().Add(patience))
	<-o.done
	return errors.Join(err, o.r.Close())
}

// text is what was kept, and how much there was.
func (o *output) text() (string, int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.total > int64(len(o.head)+len(o.tail)) {
		return string(o.head) + "\n…\n" + string(o.tail), o.total
	}
	return string(o.head) + string(o.tail), o.total
}

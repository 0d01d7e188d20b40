package cmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/retry-lab/retry-lab/scenarios"
)

// A run that takes longer than quiet shows what it waits for, anew every tick.
const (
	quiet = 300 * time.Millisecond
	tick  = 100 * time.Millisecond
)

// A progress is one line on a terminal that says which cases are still going.
// The zero progress shows nothing.
type progress struct {
	statusLine
	total int
	start time.Time

	mu      sync.Mutex
	done    int
	running []string // in the order of their start
}

// startProgress shows the progress of a run where stderr is a terminal. The
// caller stops it before anything else is printed.
func (a *app) startProgress(sel []scenarios.Selection) *progress {
	p := &progress{}
	if !isTerminal(a.stderr) || a.dumb() {
		return p
	}
	cases := map[*scenarios.Case]bool{}
	for _, s := range sel {
		for _, row := range s.Rows {
			cases[row.Case] = true
		}
	}
	p.begin(a.stderr, widthOf(a.stderr), len(cases))
	return p
}

func (p *progress) begin(w io.Writer, width, total int) {
	p.total, p.start = total, time.Now()
	p.show(w, width, p.line)
}

// tell notes a case's start or end.
func (p *progress) tell(e scenarios.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !e.Done {
		p.running = append(p.running, e.Case)
		return
	}
	p.done++
	p.running = slices.DeleteFunc(p.running, func(id string) bool { return id == e.Case })
}

func (p *progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%.1f s, %d of %d cases done; still going: %s",
		time.Since(p.start).Seconds(), p.done, p.total, strings.Join(p.running, ", "))
}

// A statusLine is one line on a terminal, written anew every tick. The zero
// statusLine shows nothing.
type statusLine struct {
	w     io.Writer
	width int
	text  func() string

	quit, gone chan struct{}
}

func (s *statusLine) show(w io.Writer, width int, text func() string) {
	s.w, s.width, s.text = w, width, text
	s.quit, s.gone = make(chan struct{}), make(chan struct{})
	go s.loop()
}

func (s *statusLine) loop() {
	defer close(s.gone)
	wait := time.NewTimer(quiet)
	defer wait.Stop()
	for shown := false; ; shown = true {
		select {
		case <-wait.C:
			line := ellipsis(safe(s.text()), s.width-1) // the last column would wrap the line
			io.WriteString(s.w, clearLine+line)         // nobody to tell if it fails
			wait.Reset(tick)
		case <-s.quit:
			if shown {
				io.WriteString(s.w, clearLine)
			}
			return
		}
	}
}

// clearLine returns to the first column and erases the line.
const clearLine = "\r\x1b[K"

// stop clears the line and returns when nothing more will be written.
func (s *statusLine) stop() {
	if s.quit == nil {
		return
	}
	close(s.quit)
	<-s.gone
}

package audit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// An answer is the line with which a persistent command answers an order.
type answer struct {
	OK     bool   `json:"ok"`
	Status int    `json:"status"`
	Body   string `json:"body"`
	Error  string `json:"error"`
}

// What a persistent command may take to print READY, and may print on a line.
const (
	readyTime = 30 * time.Second
	maxAnswer = 4 << 20
)

// A servant is a command that goes on from order to order.
type servant struct {
	*client
	stdin   *os.File
	stdout  *os.File
	answers chan answer // closed at the end of its output
	broken  string      // why there are no more answers; after answers is closed
}

// ask hands an order to the command: to a new process, or to one that waits.
func (l *lab) ask(ctx context.Context, o order) (subject, error) {
	if !l.o.Persistent {
		return l.spawn(o)
	}
	s, err := l.servant(ctx)
	if err != nil {
		return nil, err
	}
	line, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	e := &errand{servant: s, lab: l, start: time.Now(), done: make(chan struct{})}
	if _, err := s.stdin.Write(append(line, '\n')); err != nil {
		return nil, errors.Join(fmt.Errorf("hand an order to the command: %w", err), s.dismiss(ctx))
	}
	go e.await()
	return e, nil
}

// servant is one that waits and has not ended meanwhile, or a new one.
func (l *lab) servant(ctx context.Context) (*servant, error) {
	for {
		select {
		case s := <-l.idle:
			select {
			case <-s.over():
				if err := s.dismiss(ctx); err != nil {
					return nil, err
				}
			default:
				return s, nil
			}
		default:
			return l.hire(ctx)
		}
	}
}

// hire starts a persistent command and waits until it is ready.
func (l *lab) hire(ctx context.Context) (*servant, error) {
	stdin, toIt, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromIt, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), toIt.Close())
	}
	c, err := l.begin(l.o.Command[1:], trust(l.ca), stdin, stdout)
	err = errors.Join(err, stdin.Close(), stdout.Close())
	if err != nil {
		return nil, errors.Join(err, toIt.Close(), fromIt.Close())
	}
	s := &servant{client: c, stdin: toIt, stdout: fromIt, answers: make(chan answer)}
	ready := make(chan bool, 1)
	go s.read(ready)
	t := time.NewTimer(readyTime)
	defer t.Stop()
	select {
	case ok := <-ready:
		if ok {
			return s, nil
		}
	case <-t.C:
	case <-ctx.Done():
	}
	return nil, errors.Join(errors.New("the command did not print READY"), s.dismiss(ctx))
}

// read reads READY and then answers, to the end.
func (s *servant) read(ready chan<- bool) {
	defer close(s.answers)
	lines := bufio.NewScanner(s.stdout)
	lines.Buffer(nil, maxAnswer)
	ok := lines.Scan() && strings.TrimSpace(lines.Text()) == "READY"
	ready <- ok
	for ok && lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			s.broken = "its answer is no JSON"
			return
		}
		s.answers <- a
	}
}

// dismiss ends the command.
func (s *servant) dismiss(ctx context.Context) error {
	err := errors.Join(s.stdin.Close(), s.client.stop(ctx, false))
	for range s.answers { // ends with the pipe
	}
	return errors.Join(err, s.stdout.Close())
}

// An errand is one order in the hands of a servant.
type errand struct {
	*servant
	lab    *lab
	start  time.Time
	done   chan struct{}
	answer answer
	ended  time.Time
}

// await takes the answer.
func (e *errand) await() {
	defer close(e.done)
	a, ok := <-e.answers
	if !ok {
		a = answer{Error: "the command ended without an answer " + e.broken}
	}
	e.answer, e.ended = a, time.Now()
}

func (e *errand) began() time.Time      { return e.start }
func (e *errand) over() <-chan struct{} { return e.done }
func (e *errand) stays() bool           { return true }
func (e *errand) endedAt() time.Time    { return e.ended }

// exit is 0 for an answer that is ok.
func (e *errand) exit() int {
	if e.answer.OK {
		return 0
	}
	return 1
}

func (e *errand) text() (string, int64) {
	text := e.answer.Body
	if e.answer.Error != "" {
		text += e.answer.Error + "\n"
	}
	return text, int64(len(text))
}

// stop lets the servant wait for its next order if it has answered this one,
// and else ends it.
func (e *errand) stop(ctx context.Context, ended bool) error {
	if ended && ctx.Err() == nil {
		select {
		case <-e.servant.over(): // it ended instead of answering
		case e.lab.idle <- e.servant:
			return nil
		default:
		}
	}
	err := e.dismiss(ctx)
	<-e.done
	return err
}

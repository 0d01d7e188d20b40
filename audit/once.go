package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"github.com/retry-lab/retry-lab/servers"
)

// killTime is how long killed processes may take to be gone, drainTime how long
// a pipe is read that somebody else still holds.
const (
	killTime  = 5 * time.Second
	drainTime = time.Second
)

// A client is one started command.
type client struct {
	lab     *lab
	process *os.Process
	mark    mark
	out     *output
	began   time.Time
	gone    chan struct{} // closed when it has been waited for
	state   *os.ProcessState
	waitErr error
	endedAt time.Time
	flooded chan struct{}
}

// spawn starts the command for an order.
func (l *lab) spawn(o order) (*client, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close() // only read
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	pipe, err := r.Stat()
	if err != nil {
		return nil, errors.Join(err, r.Close(), w.Close())
	}
	c := &client{lab: l, mark: mark{l.mark + newKeyValue(), pipe}, gone: make(chan struct{}), flooded: make(chan struct{})}
	attr := &os.ProcAttr{Env: slices.Concat(l.env, o.env(), []string{c.mark.env}), Files: []*os.File{null, w, w}}
	args := append([]string{l.o.Command[0]}, o.args(l.o.Command[1:])...)
	c.began = time.Now()
	c.process, err = l.spawner.start(l.path, args, attr)
	if err == nil {
		l.reaper.own(c.process.Pid, true)
	}
	closeErr := w.Close()
	if err != nil || closeErr != nil {
		return nil, errors.Join(err, closeErr, r.Close())
	}
	c.out = collect(r, func() { close(c.flooded) })
	go func() {
		c.state, c.waitErr = c.process.Wait()
		c.endedAt = time.Now()
		close(c.gone)
	}()
	return c, nil
}

// kill ends the command's group and all that left it, and returns when the
// last of them is gone. When the audit itself has ended, what left the group
// is killed with that of all runs, and what they printed is not waited for.
func (c *client) kill(ctx context.Context) error {
	if err := c.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) { // it may have left its group
		return err
	}
	over, patience := ctx.Err() != nil, drainTime
	err := c.lab.reaper.group(c.process.Pid)
	select {
	case <-c.gone:
	case <-time.After(killTime):
		return errors.Join(err, errors.New("the command cannot be killed"))
	}
	if over {
		patience = 0
	} else {
		err = errors.Join(err, c.lab.reaper.kill(c.mark, killTime))
	}
	c.lab.reaper.own(c.process.Pid, false)
	return errors.Join(err, c.waitErr, c.out.drain(patience))
}

// exit is the command's exit code.
func (c *client) exit() int {
	if code := c.state.ExitCode(); code >= 0 {
		return code
	}
	return 128 + signalOf(c.state)
}

// try runs a case once, in a network of its own where it is about the network
// and this machine allows that.
func (l *lab) try(ctx context.Context, c Case, run int, sent func()) Observation {
	if (c.Where == Refused || c.Where == Backlog || c.Where == NoName) && !l.o.NoNetns {
		o, err := l.apart(ctx, c, run)
		if err == nil {
			return o
		}
		if _, ok := errors.AsType[*netns.Unavailable](err); !ok {
			return Observation{Case: c.ID, Run: run, Sent: l.request(c), Broken: err.Error(), FirstMS: -1}
		}
	}
	o := l.once(ctx, c, run, sent)
	for again := 0; again < 2 && l.start > 0 && o.Exited && o.Deliveries == 0 && c.Where == Plain; again++ {
		o = l.once(ctx, c, run, sent) // its time-out may have passed before it could send
	}
	return o
}

// once runs a case once. sent is called when the command has been heard of, or
// will not be any more.
func (l *lab) once(ctx context.Context, c Case, run int, sent func()) Observation {
	o := Observation{Case: c.ID, Run: run, Sent: l.request(c), BodySum: l.sums[c.Request.Body], FirstMS: -1,
		CutMS: float64(l.cut.Milliseconds())}
	if err := l.observe(ctx, c, &o, sent); err != nil {
		o.Broken = err.Error()
	}
	return o
}

func (l *lab) observe(ctx context.Context, c Case, o *Observation, sent func()) (err error) {
	s, err := l.open(c, o.Run)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	cl, err := l.spawn(l.order(c, o.Run, s))
	if err != nil {
		return err
	}
	w := watch{lab: l, case_: c, site: s, client: cl, sent: sent}
	watched := w.until(ctx, o)
	if err := errors.Join(watched, cl.kill(ctx), ctx.Err()); err != nil {
		return err
	}
	if o.Exited {
		o.Exit = cl.exit()
	}
	if s.origin != nil {
		if err := s.settle(ctx); err != nil {
			return err
		}
		o.Connections = s.connections()
	}
	if l.inside != nil {
		if err := l.inside.drain(ctx); err != nil {
			return err
		}
	}
	if err := s.close(); err != nil { // joins every delivery
		return err
	}
	l.record(o, s, cl)
	return nil
}

// record enters what the servers saw and the command printed.
func (l *lab) record(o *Observation, s *site, cl *client) {
	ms := func(at time.Time) float64 {
		if at.IsZero() {
			return -1
		}
		return float64(at.Sub(cl.began).Microseconds()) / 1000
	}
	o.EndedMS = ms(cl.endedAt)
	o.Ledger, o.Tokens = s.ledger(ms)
	for _, call := range s.calls {
		r := call.Record()
		o.Deliveries += r.Deliveries
		o.Commits += r.Commits
		o.WarmUps += r.WarmUps
	}
	if len(o.Ledger) > 0 {
		o.FirstMS = o.Ledger[0].AtMS
	}
	if l.inside != nil {
		l.inside.record(o, s, cl, ms)
	}
	if !s.waitUntil.IsZero() {
		o.WaitUntilMS = ms(s.waitUntil)
	}
	o.Output, o.Printed = cl.out.text()
}

// ledger lists the deliveries to all calls, in order, warm-ups left out, and
// their tokens.
func (s *site) ledger(ms func(time.Time) float64) ([]Delivery, []string) {
	list := []Delivery{}
	token := map[[2]int]string{} // by hop and number there
	for hop, call := range s.calls {
		for _, d := range call.Record().Ledger {
			if !d.Warm {
				list = append(list, entry(hop, d, ms))
				token[[2]int{hop, d.N}] = d.Token
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Delivery) int { return cmp.Compare(a.AtMS, b.AtMS) })
	tokens := make([]string, len(list))
	for i, d := range list {
		tokens[i] = token[[2]int{d.Hop, d.N}]
		list[i].N = i + 1
	}
	return list, tokens
}

func entry(hop int, d servers.CallDelivery, ms func(time.Time) float64) Delivery {
	return Delivery{
		N: d.N, Hop: hop, AtMS: ms(d.At), AnsweredMS: ms(d.AnsweredAt), EndedMS: ms(d.EndedAt),
		Connection: d.Connection, Reused: d.Reused, Proto: d.Proto, Method: d.Method, Key: d.Key,
		BodyBytes: d.BodyBytes, BodySHA256: d.BodySHA256, Complete: d.Complete, Committed: d.Committed,
		Fault: d.Fault, Answered: d.Answered, AnsweredAll: d.AnswerComplete, Ended: d.Ended,
	}
}

// find is the program that a command names, as exec does.
func find(name string, environ []string) (string, error) {
	for _, v := range environ {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			return lookPath(name, path)
		}
	}
	return lookPath(name, "")
}

var errNotFound = errors.New("no such program")

func notFound(name string) error { return fmt.Errorf("command %q: %w", name, errNotFound) }

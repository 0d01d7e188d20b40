package audit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/retry-lab/retry-lab/servers"
)

// Options make an audit. Command is all that it needs.
type Options struct {
	// Command is the program and its arguments, with placeholders.
	Command []string
	// Environ is what it gets beside the request, each "NAME=value", such as
	// os.Environ gives.
	Environ []string
	// Client is what the report calls it; empty: the program's name.
	Client string

	// Cases are globs; none means all.
	Cases []string
	// Quick cuts at 10 s and not at 30 s, and runs racy cases once.
	Quick bool
	// Jobs bounds the processes that have not yet sent their first request;
	// zero means two a core.
	Jobs int

	Declared
	// Persistent: the command is one process that reads orders.
	Persistent bool
	// NoNetns: no case runs in a network of its own.
	NoNetns bool

	// Progress, if set, is told how many runs of how many are over.
	Progress func(done, of int) `json:"-"`
}

// The limits of a run.
const (
	cutAfter  = 30 * time.Second
	quickCut  = 10 * time.Second
	mostAlive = 64
)

// A lab is what the runs of an audit share. It is made once, and then only
// read.
type lab struct {
	o     Options
	cut   time.Duration
	dir   string // of the files below
	ca    string
	files map[Body]string
	sums  map[Body]string
	env   []string // of the commands, without the request
	path  string   // of the program

	trusted, untrusted tls.Certificate

	mark    string // the beginning of what marks every process
	spawner *spawner
	reaper  *reaper
	start   time.Duration // measured from the start of a process to its first request

	idle   chan *servant // persistent commands that wait for an order
	inside *inside       // the network of its own that the lab is in; nil: none
}

// largeBody is how long the bodies Large and Stream are.
const largeBody = 1 << 20

// newLab makes the files and certificates. path is the program that the
// command names, found.
func newLab(o Options, path string) (*lab, error) {
	l := &lab{o: o, cut: cutAfter, path: path, env: clean(o.Environ), mark: newMark(), idle: make(chan *servant, mostAlive), files: map[Body]string{}, sums: map[Body]string{}}
	if o.Quick {
		l.cut = quickCut
	}
	dir, err := os.MkdirTemp("", "retry-lab-")
	if err != nil {
		return nil, err
	}
	l.dir = dir
	if err := errors.Join(l.bodies(), l.certificates()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if l.reaper, err = newReaper(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	l.spawner = newSpawner()
	return l, nil
}

// close kills what is left of all commands and removes the files.
func (l *lab) close() error {
	var err error
	for len(l.idle) > 0 {
		err = errors.Join(err, (<-l.idle).dismiss(context.Background()))
	}
	err = errors.Join(err, l.reaper.kill(mark{env: l.mark}, killTime))
	l.spawner.close()
	return errors.Join(err, l.reaper.close(), os.RemoveAll(l.dir))
}

// bodies writes the files of the bodies. The large one repeats nothing, so
// that a part of it cannot pass for another.
func (l *lab) bodies() error {
	large := make([]byte, 0, largeBody+sha256.Size)
	for sum := sha256.Sum256([]byte("retry-lab")); len(large) < largeBody; sum = sha256.Sum256(sum[:]) {
		large = append(large, sum[:]...)
	}
	for body, text := range map[Body][]byte{
		NoBody: {}, Small: []byte(`{"amount":1250,"currency":"EUR","to":"acct-42"}` + "\n"),
		Large: large[:largeBody], Stream: large[:largeBody],
	} {
		name := filepath.Join(l.dir, "body-"+string(body))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		l.files[body], l.sums[body] = name, hex.EncodeToString(sum[:])
	}
	return nil
}

// certificates makes an authority that {ca_file} has, and one that it has not.
func (l *lab) certificates() error {
	known, err := servers.NewAuthority()
	if err != nil {
		return err
	}
	unknown, err := servers.NewAuthority()
	if err != nil {
		return err
	}
	if l.trusted, err = known.Issue(servers.CertOptions{}); err != nil {
		return err
	}
	if l.untrusted, err = unknown.Issue(servers.CertOptions{}); err != nil {
		return err
	}
	l.ca = filepath.Join(l.dir, "ca.pem")
	return os.WriteFile(l.ca, known.PEM(), 0o644)
}

// order is the request of a run.
func (l *lab) order(c Case, run int, s *site) order {
	r := l.request(c)
	o := order{
		Case: c.ID, Run: run, URL: s.url, Method: r.Method, BodyFile: l.files[r.Body], Body: "file",
		TimeoutMS: r.TimeoutMS, DeadlineMS: r.DeadlineMS, CAFile: l.ca, Retries: Retries, BaseMS: BaseMS,
	}
	if r.Keyed {
		o.Key = newKeyValue()
	}
	if r.Warm {
		o.WarmURL = s.warm
	}
	switch r.Body {
	case Small:
		o.ContentType = "application/json"
	case Large, Stream:
		o.ContentType = "application/octet-stream"
	}
	if r.Body == Stream {
		o.Body = "stream"
	}
	return o
}

// request is the case's, with the time-out that this command can have: one for
// the whole call leaves room for the waits of cases that are not about time.
func (l *lab) request(c Case) Request {
	r := c.Request
	switch {
	case r.TimeoutMS != 0:
	case silent(c):
		r.TimeoutMS = TimeoutMS
	case l.o.TotalTimeout && r.DeadlineMS != 0:
		r.TimeoutMS = r.DeadlineMS // they are one
	case l.o.TotalTimeout:
		r.TimeoutMS = wholeTimeout
	default:
		r.TimeoutMS = AmpleMS
	}
	return r
}

// wholeTimeout is the time-out of a command whose time-out is the whole
// call's, in milliseconds: less than the shorter cut.
const wholeTimeout = 9000

// silent: some delivery of the case is never answered.
func silent(c Case) bool {
	for _, s := range c.Scripts {
		for _, step := range s.Steps {
			if step.Fault == "silent" {
				return true
			}
		}
	}
	return c.Where == Backlog
}

// newKeyValue is an Idempotency-Key of 128 random bits.
func newKeyValue() string {
	var b [16]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

// newMark is the mark of an audit.
func newMark() string { return "RETRY_LAB_MARK=" + newKeyValue() + "-" }

// check says what an audit cannot begin with.
func (o Options) check() error {
	if len(o.Command) == 0 {
		return errors.New("no command to audit")
	}
	if o.Jobs < 0 {
		return fmt.Errorf("negative number of jobs: %d", o.Jobs)
	}
	return nil
}

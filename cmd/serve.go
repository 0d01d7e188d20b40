package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/retry-lab/retry-lab/servers/service"
)

// serveGrace is how long serve may take to end everything. It is less than the
// second that it promises.
const serveGrace = 800 * time.Millisecond

// A serving is what the flags of serve say.
type serving struct {
	host   string
	unsafe bool
	base   int
	caFile string
	env    bool
	format *choice
	bounds service.Options // its bounds alone
}

func newServeCmd(a *app) *cobra.Command {
	s := &serving{host: "127.0.0.1", bounds: service.Options{MaxCalls: 1000, MaxDeliveries: 250, MaxConns: 20_000}}
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve every fault to any client, until interrupted",
		Long: `serve runs all of the lab's faults for a client in any language: an origin with a
path for each fault, the same over TLS, a port for each fault of a whole
connection, and a control API that makes calls, each with a script of faults of
its own, and tells what was really delivered of them.

It prints where they are and closes stdout: who reads it to its end knows that all
of them are open. SIGINT, SIGTERM and SIGHUP end it, with exit code 0. The certificates
are of this run; the file of --ca-file is removed at the end.`,
		Example: `  retry-lab serve
  eval "$(retry-lab serve --env &)"; trap 'kill "$RETRY_LAB_PID"' EXIT
  curl -d '["503","reset","200"]' "$RETRY_LAB_CONTROL_URL/calls"`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			a.started = true
			return a.serve(c.Context(), s)
		},
	}
	f := c.Flags()
	f.Var(textFlag{&s.host, "an IP address"}, "listen", "the IP address to listen at")
	f.BoolVar(&s.unsafe, "unsafe-listen", false, "let --listen be another address than loopback: whoever reaches it may use it")
	f.Var(wholeFlag{&s.base, 1, 65536 - service.Ports()}, "port-base", fmt.Sprintf("the first of %d ports in a row; without it any that are free", service.Ports()))
	f.Var(textFlag{&s.caFile, "a file"}, "ca-file", "write the certificate to trust, in PEM, to this file")
	f.BoolVar(&s.env, "env", false, "print lines for a shell to eval: RETRY_LAB_ORIGIN_URL, …")
	f.Var(wholeFlag{&s.bounds.MaxCalls, 1, 1_000_000}, "max-calls", "calls that are kept; one more takes the place of the oldest that is finished")
	f.Var(wholeFlag{&s.bounds.MaxDeliveries, 1, 1_000_000}, "max-deliveries", "deliveries that are kept of each call; all are counted")
	f.Var(wholeFlag{&s.bounds.MaxConns, 1, 1_000_000}, "max-connections", "open connections of each port; further ones wait")
	s.format = addFormat(c, "table", "json")
	c.MarkFlagsMutuallyExclusive("env", "output")
	if err := c.MarkFlagFilename("ca-file"); err != nil {
		panic(err) // the flag is above
	}
	return c
}

// check refuses what would have to be asked for.
func (s *serving) check() error {
	if s.host == "localhost" {
		s.host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(s.host)
	switch {
	case err != nil || ip.Zone() != "":
		return usageError("such as 127.0.0.1 or ::1", "--listen %q is no IP address", s.host)
	case !ip.IsLoopback() && !s.unsafe:
		return usageError("--unsafe-listen allows it: whoever reaches it may use it", "--listen %s is not loopback", ip)
	}
	if s.caFile != "" {
		return mayReplace(s.caFile)
	}
	return nil
}

// serve opens everything, says where it is, and ends it when it is asked to.
func (a *app) serve(ctx context.Context, s *serving) (err error) {
	o := s.bounds
	o.Host, o.Unsafe, o.PortBase = s.host, s.unsafe, s.base
	a.serving.Store(true) // also while it opens: an end is an end then too
	a.ending.Store(int64(serveGrace))
	ctx, stop := orHangup(ctx)
	defer stop()
	svc, err := service.Open(o)
	if err != nil {
		return s.broken(err)
	}
	defer func() { err = errors.Join(err, svc.Close()) }()

	out := newServed(svc, s.host)
	if s.caFile != "" {
		ca, err := writeCA(s.caFile, svc.Authority.PEM())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ca.remove()) }()
		out.CAFile = ca.name
	}
	if !netip.MustParseAddr(s.host).IsLoopback() {
		a.say("warning: listening at "+s.host+": whoever reaches it may use it", "")
	}
	if err := a.printServed(s, out); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// orHangup ends with ctx or when the terminal goes away, which would else end
// the process with the file of --ca-file still there. Under nohup it stays.
func orHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

// broken says why there is no service.
func (s *serving) broken(err error) error {
	switch {
	case s.base > 0 && errors.Is(err, syscall.EADDRINUSE):
		return brokenError("choose another --port-base", err)
	case errors.Is(err, syscall.EMFILE):
		return brokenError("raise the limit of open files: ulimit -n", err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return brokenError("is "+s.host+" an address of this machine?", err)
	}
	return err
}

// printServed prints where everything is and closes stdout, so that its reader
// need not wait for the end. A terminal stays.
func (a *app) printServed(s *serving, out served) error {
	var err error
	switch {
	case s.env:
		_, err = io.WriteString(a.stdout, out.env())
	case s.format.value == "json":
		err = writeJSON(a.stdout, out, "  ")
	default:
		err = out.table(a.stdout, view{width: a.width()})
	}
	if f, ok := a.stdout.w.(*os.File); ok && err == nil && !isTerminal(f) {
		if err = f.Close(); err != nil {
			a.stdout.err = err // as of a full disk
		}
	}
	return err
}

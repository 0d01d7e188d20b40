package scenarios

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"github.com/retry-lab/retry-lab/netns"
	"github.com/retry-lab/retry-lab/servers"
)

// connectNoPorts narrows the ports of one socket. Where the kernel cannot, a
// child narrows those of its namespace.
var connectNoPorts = noPorts()

func noPorts() *Case {
	c := inChild(Case{
		ID: "connect/no-ports", Source: "connect(2): EADDRNOTAVAIL; ip(7): IP_LOCAL_PORT_RANGE, ip_local_port_range",
		Title: "this machine has no port left to connect from: the server is well, and hurrying makes it worse",
		Needs: "Linux 6.3, or a private network namespace",
	}, netns.Spec{Namespaces: netns.Network}, noPortsInNamespace)
	inNamespace := c.Run
	c.Run = func(ctx context.Context, e *Env) (Run, error) {
		run, err := outOfPorts(ctx, e, dialerFrom)
		if errors.Is(err, errors.ErrUnsupported) {
			return inNamespace(ctx, e)
		}
		return run, err
	}
	return c
}

func noPortsInNamespace(ctx context.Context, e *Env, child *netns.Child) (Run, error) {
	if err := child.LoopbackUp(); err != nil {
		return Run{}, err
	}
	return outOfPorts(ctx, e, func(port int) (*net.Dialer, error) {
		return &net.Dialer{}, child.Sysctl("net.ipv4.ip_local_port_range", fmt.Sprintf("%d %[1]d", port))
	})
}

// outOfPorts makes a call from a port that is taken. only returns a dialer that
// has no other.
func outOfPorts(ctx context.Context, e *Env, only func(port int) (*net.Dialer, error)) (run Run, err error) {
	srv, err := servers.NewFIN(servers.Options{})
	if err != nil {
		return Run{}, fmt.Errorf("start server: %w", err)
	}
	defer srv.Close()
	taken, err := servers.NewRefused()
	if err != nil {
		return Run{}, fmt.Errorf("hold a port: %w", err)
	}
	defer func() { err = errors.Join(err, taken.Close()) }()
	dialer, err := only(taken.Port())
	if err != nil {
		return Run{}, err
	}
	return byHTTP(ctx, newClient(e, dialer), srv, srv.URL(), call{})
}

// connectNoFiles runs in a child because a limit is the whole process's.
var connectNoFiles = inChild(Case{
	ID: "connect/no-files", Source: "socket(2): EMFILE; getrlimit(2): RLIMIT_NOFILE",
	Title: "this process has no descriptor left for a socket: the server is well",
	Needs: "Linux",
}, netns.Spec{NoFile: 64}, func(ctx context.Context, e *Env, _ *netns.Child) (run Run, err error) {
	srv, err := servers.NewFIN(servers.Options{})
	if err != nil {
		return Run{}, fmt.Errorf("start server: %w", err)
	}
	defer srv.Close()
	free, err := openAll()
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, free()) }()
	return byHTTP(ctx, newClient(e, nil), srv, srv.URL(), call{})
})

// openAll opens files until the limit is reached, and returns how to close
// them. It is for a process whose limit is low.
func openAll() (free func() error, err error) {
	var files []*os.File
	free = func() error {
		var errs []error
		for _, f := range files {
			errs = append(errs, f.Close())
		}
		return errors.Join(errs...)
	}
	for {
		f, err := os.Open(os.DevNull)
		if errors.Is(err, syscall.EMFILE) {
			return free, nil
		}
		if err != nil {
			return nil, errors.Join(&netns.Unavailable{Step: "use up the descriptors", Err: err}, free())
		}
		files = append(files, f)
	}
}

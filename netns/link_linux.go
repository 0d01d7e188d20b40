package netns

import (
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"
)

// LoopbackUp brings up lo, with 127.0.0.0/8 and, where the kernel has IPv6,
// ::1. A new network namespace has it down. It needs Network.
func (c *Child) LoopbackUp() error {
	const step = "bring the loopback interface up"
	if err := c.own(step, Network); err != nil {
		return err
	}
	return tried(step, setUp("lo"))
}

// setUp sets the flag IFF_UP of an interface, netdevice(7).
func setUp(name string) (err error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer func() { err = errors.Join(err, os.NewSyscallError("close", unix.Close(fd))) }()
	req, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, req); err != nil {
		return os.NewSyscallError("ioctl SIOCGIFFLAGS", err)
	}
	req.SetUint16(req.Uint16() | unix.IFF_UP)
	return os.NewSyscallError("ioctl SIOCSIFFLAGS", unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req))
}

// sysctlName is a parameter of the network namespace; any other would be the
// machine's.
var sysctlName = regexp.MustCompile(`^net(\.[a-z0-9_]+)+$`)

// Sysctl sets a parameter of the network namespace, sysctl(8), by its name
// with dots: "net.ipv4.ip_local_port_range" to "50000 50003". The kernel says
// which of them a namespace has; the others are not there. It needs Network.
func (c *Child) Sysctl(name, value string) error {
	if !sysctlName.MatchString(name) {
		return fmt.Errorf("%q does not name a network parameter, as in net.ipv4.ip_local_port_range", name)
	}
	step := fmt.Sprintf("set %s to %q", name, value)
	if err := c.own(step, Network); err != nil {
		return err
	}
	file, err := os.OpenFile(path.Join("/proc/sys", strings.ReplaceAll(name, ".", "/")), os.O_WRONLY, 0)
	if err != nil {
		return tried(step, err)
	}
	_, err = file.WriteString(value)
	return tried(step, errors.Join(err, file.Close()))
}

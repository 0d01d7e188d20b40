package netns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// routeTypes are the kinds for rtnetlink(7).
var routeTypes = map[RouteKind]uint8{
	Unreachable: unix.RTN_UNREACHABLE,
	Prohibit:    unix.RTN_PROHIBIT,
	Blackhole:   unix.RTN_BLACKHOLE,
}

// AddRoute adds a route of that kind to the main table; connect to an address
// in dst then fails at once. Addresses of the machine itself, so all of
// 127.0.0.0/8, are routed before that table. It needs Network.
func (c *Child) AddRoute(dst netip.Prefix, kind RouteKind) error {
	typ, ok := routeTypes[kind]
	if !ok || !dst.IsValid() {
		return fmt.Errorf("add a route: there is no %v to %v", kind, dst)
	}
	step := fmt.Sprintf("add the route %v %v", kind, dst)
	if err := c.own(step, Network); err != nil {
		return err
	}
	return tried(step, request(routeMessage(dst.Masked(), typ)))
}

// routeMessage is the RTM_NEWROUTE of a route that needs no interface.
func routeMessage(dst netip.Prefix, typ uint8) []byte {
	native := binary.NativeEndian
	family := uint8(unix.AF_INET6)
	if dst.Addr().Is4() {
		family = unix.AF_INET
	}
	body := []byte{
		family, uint8(dst.Bits()), 0, 0, // family, length of dst and of src, type of service
		unix.RT_TABLE_MAIN, unix.RTPROT_STATIC, unix.RT_SCOPE_UNIVERSE, typ,
		0, 0, 0, 0, // flags
	}
	addr := dst.Addr().AsSlice() // 4 or 16 bytes: nothing to align
	body = native.AppendUint16(body, uint16(unix.SizeofRtAttr+len(addr)))
	body = native.AppendUint16(body, unix.RTA_DST)
	body = append(body, addr...)
	msg := native.AppendUint32(nil, uint32(unix.SizeofNlMsghdr+len(body)))
	msg = native.AppendUint16(msg, unix.RTM_NEWROUTE)
	msg = native.AppendUint16(msg, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE|unix.NLM_F_EXCL)
	msg = native.AppendUint32(msg, 1) // sequence number
	msg = native.AppendUint32(msg, 0) // port id: the kernel fills it in
	return append(msg, body...)
}

// request sends one message to the kernel's routing and returns its answer,
// which is queued by the time that the message has been sent.
func request(msg []byte) (err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer func() { err = errors.Join(err, os.NewSyscallError("close", unix.Close(fd))) }()
	if err := unix.Sendto(fd, msg, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return os.NewSyscallError("sendto", err)
	}
	answer := make([]byte, os.Getpagesize())
	n, _, err := unix.Recvfrom(fd, answer, unix.MSG_DONTWAIT)
	if err != nil {
		return os.NewSyscallError("recvfrom", err)
	}
	return acknowledged(answer[:n])
}

// acknowledged is the errno in an NLMSG_ERROR, nil where it is 0.
func acknowledged(answer []byte) error {
	native := binary.NativeEndian
	if len(answer) < unix.SizeofNlMsghdr+4 || native.Uint16(answer[4:]) != unix.NLMSG_ERROR {
		return fmt.Errorf("the kernel's answer, %d bytes, is no acknowledgement", len(answer))
	}
	if errno := -int32(native.Uint32(answer[unix.SizeofNlMsghdr:])); errno != 0 {
		return os.NewSyscallError("rtnetlink", unix.Errno(errno))
	}
	return nil
}

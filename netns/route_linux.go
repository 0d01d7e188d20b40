package netns

import (
	"encoding/binary"
	"fmt"
	"net/netip"

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
	answer, err := ask(unix.NETLINK_ROUTE, routeMessage(dst.Masked(), typ))
	if err == nil {
		err = acknowledged("rtnetlink", answer)
	}
	return tried(step, err)
}

// routeMessage is the RTM_NEWROUTE of a route that needs no interface.
func routeMessage(dst netip.Prefix, typ uint8) []byte {
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
	body = binary.NativeEndian.AppendUint16(body, uint16(unix.SizeofRtAttr+len(addr)))
	body = binary.NativeEndian.AppendUint16(body, unix.RTA_DST)
	body = append(body, addr...)
	return netlinkMessage(unix.RTM_NEWROUTE, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE|unix.NLM_F_EXCL, body)
}

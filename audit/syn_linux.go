package audit

import (
	"encoding/binary"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/retry-lab/retry-lab/netns"
)

// listen notes every SYN over IPv4 from now on, by a packet socket (packet(7)).
// What it returns ends that.
func (n *inside) listen() (func() error, error) {
	fail := func(call string, err error) error {
		return &netns.Unavailable{Step: "watch the packets of a private network", Err: os.NewSyscallError(call, err)}
	}
	const ipv4 = unix.ETH_P_IP<<8 | unix.ETH_P_IP>>8 // in network order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, ipv4&0xffff)
	if err != nil {
		return nil, fail("socket", err)
	}
	f := os.NewFile(uintptr(fd), "packets")
	rc, err := f.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		packet := make([]byte, 256)
		for {
			var size int
			var from unix.Sockaddr
			var readErr error
			err := rc.Read(func(fd uintptr) bool {
				size, from, readErr = unix.Recvfrom(int(fd), packet, 0)
				return readErr != unix.EAGAIN
			})
			if err != nil || readErr != nil {
				return // it was closed
			}
			// On loopback each packet is seen leaving and arriving.
			if at, ok := from.(*unix.SockaddrLinklayer); ok && at.Pkttype == unix.PACKET_HOST {
				n.packet(packet[:size], time.Now())
			}
		}
	}()
	return func() error {
		err := f.Close()
		<-done
		return err
	}, nil
}

// packet notes an IPv4 packet if it is a SYN (RFC 791 section 3.1, RFC 9293
// section 3.1).
func (n *inside) packet(p []byte, at time.Time) {
	if len(p) < 20 || p[0]>>4 != 4 || p[9] != unix.IPPROTO_TCP {
		return
	}
	head := int(p[0]&15) * 4
	if len(p) < head+14 {
		return
	}
	const syn_, ack = 0x02, 0x10
	tcp := p[head:]
	if flags := tcp[13]; flags&syn_ != 0 && flags&ack == 0 {
		n.enter(syn{at: at, from: binary.BigEndian.Uint16(tcp), to: binary.BigEndian.Uint16(tcp[2:])})
	}
}

package netns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// netlinkMessage is one request to the kernel, netlink(7).
func netlinkMessage(kind, flags uint16, body []byte) []byte {
	native := binary.NativeEndian
	msg := native.AppendUint32(nil, uint32(unix.SizeofNlMsghdr+len(body)))
	msg = native.AppendUint16(msg, kind)
	msg = native.AppendUint16(msg, flags)
	msg = native.AppendUint32(msg, 1) // sequence number
	msg = native.AppendUint32(msg, 0) // port id: the kernel fills it in
	return append(msg, body...)
}

// ask sends one message to that part of the kernel and returns its answer,
// which is queued by the time that the message has been sent.
func ask(part int, msg []byte) (answer []byte, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, part)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	defer func() { err = errors.Join(err, os.NewSyscallError("close", unix.Close(fd))) }()
	if err := unix.Sendto(fd, msg, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, os.NewSyscallError("sendto", err)
	}
	answer = make([]byte, os.Getpagesize())
	n, _, err := unix.Recvfrom(fd, answer, unix.MSG_DONTWAIT)
	if err != nil {
		return nil, os.NewSyscallError("recvfrom", err)
	}
	return answer[:n], nil
}

// acknowledged is the errno in an NLMSG_ERROR, nil where it is 0.
func acknowledged(by string, answer []byte) error {
	native := binary.NativeEndian
	if len(answer) < unix.SizeofNlMsghdr+4 || native.Uint16(answer[4:]) != unix.NLMSG_ERROR {
		return fmt.Errorf("the kernel's answer, %d bytes, is no acknowledgement", len(answer))
	}
	if errno := -int32(native.Uint32(answer[unix.SizeofNlMsghdr:])); errno != 0 {
		return os.NewSyscallError(by, unix.Errno(errno))
	}
	return nil
}

package classifier

import "syscall"

// errnoRow gives an errno its name.
type errnoRow struct {
	errno syscall.Errno
	code  Code
}

// errnoTable names the errnos that a socket call can return, the common ones
// first. The constants are this platform's; on Windows they are numbers that Go
// invented, and what sockets really return there is in errno_windows.go.
var errnoTable = [...]errnoRow{
	{syscall.ECONNREFUSED, "ECONNREFUSED"},
	{syscall.ECONNRESET, "ECONNRESET"},
	{syscall.EPIPE, "EPIPE"},
	{syscall.ETIMEDOUT, "ETIMEDOUT"},
	{syscall.EHOSTUNREACH, "EHOSTUNREACH"},
	{syscall.ENETUNREACH, "ENETUNREACH"},
	{syscall.EADDRNOTAVAIL, "EADDRNOTAVAIL"},
	{syscall.EADDRINUSE, "EADDRINUSE"},
	{syscall.EMFILE, "EMFILE"},
	{syscall.ENFILE, "ENFILE"},
	{syscall.ENOBUFS, "ENOBUFS"},
	{syscall.ENOMEM, "ENOMEM"},
	{syscall.EACCES, "EACCES"},
	{syscall.EPERM, "EPERM"},
	{syscall.EINVAL, "EINVAL"},
	{syscall.ECONNABORTED, "ECONNABORTED"},
	{syscall.EHOSTDOWN, "EHOSTDOWN"},
	{syscall.ENETDOWN, "ENETDOWN"},
	{syscall.ENETRESET, "ENETRESET"},
	{syscall.ENOTCONN, "ENOTCONN"},
	{syscall.ESHUTDOWN, "ESHUTDOWN"},
	{syscall.EPROTO, "EPROTO"},
	{syscall.EAFNOSUPPORT, "EAFNOSUPPORT"},
	{syscall.ENOENT, "ENOENT"},
	{syscall.EBADF, "EBADF"},
	{syscall.EAGAIN, "EAGAIN"},
	{syscall.EINTR, "EINTR"},
}

// codeOfErrno names an errno; Unknown for one that no socket call returns.
func codeOfErrno(e syscall.Errno) Code {
	for i := range errnoTable {
		if errnoTable[i].errno == e {
			return errnoTable[i].code
		}
	}
	return codeOfPlatformErrno(e)
}

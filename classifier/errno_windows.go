package classifier

import "syscall"

// winsockTable names what Windows sockets return (winsock2.h). Go's
// own syscall.ECONNREFUSED and its like are invented numbers there that no
// socket call returns, and Errno.Is has no mapping to them, so errors.Is
// against those constants is always false.
//
// Compiled for Windows, and not yet run there.
var winsockTable = [...]errnoRow{
	{10004, "EINTR"},
	{10009, "EBADF"},
	{10013, "EACCES"},
	{10022, "EINVAL"},
	{10024, "EMFILE"},
	{10035, "EAGAIN"},
	{10047, "EAFNOSUPPORT"},
	{10048, "EADDRINUSE"},
	{10049, "EADDRNOTAVAIL"},
	{10050, "ENETDOWN"},
	{10051, "ENETUNREACH"},
	{10052, "ENETRESET"},
	{10053, "ECONNABORTED"},
	{10054, "ECONNRESET"},
	{10055, "ENOBUFS"},
	{10057, "ENOTCONN"},
	{10058, "ESHUTDOWN"},
	{10060, "ETIMEDOUT"},
	{10061, "ECONNREFUSED"},
	{10064, "EHOSTDOWN"},
	{10065, "EHOSTUNREACH"},
	{11001, NotFound}, // WSAHOST_NOT_FOUND
	{11002, EAIAgain}, // WSATRY_AGAIN
	{11003, EAIFail},  // WSANO_RECOVERY
	{11004, NotFound}, // WSANO_DATA
}

// codeOfPlatformErrno names a Winsock error code.
func codeOfPlatformErrno(e syscall.Errno) Code {
	for i := range winsockTable {
		if winsockTable[i].errno == e {
			return winsockTable[i].code
		}
	}
	return Unknown
}

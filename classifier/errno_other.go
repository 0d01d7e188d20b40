//go:build !windows

package classifier

import "syscall"

// codeOfPlatformErrno has nothing to add where sockets return plain errnos.
func codeOfPlatformErrno(syscall.Errno) Code { return Unknown }

package retry_test

import (
	"os"
	"syscall"
)

// errRefused is what connect(2) returns where nobody listens.
var errRefused = os.NewSyscallError("connect", syscall.ECONNREFUSED)

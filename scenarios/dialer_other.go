//go:build !linux && !darwin

package scenarios

import "net"

// kernelTimeout has no option to shorten connect(2) here: the kernel's own
// timeout is waited for (21 s on Windows, 75 s on the BSDs). Not yet run on
// these systems.
func kernelTimeout() *net.Dialer { return &net.Dialer{} }

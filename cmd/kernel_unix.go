//go:build unix

package cmd

import "golang.org/x/sys/unix"

// kernelRelease is what uname(2) says, empty where it fails. It has run on
// Linux only.
func kernelRelease() string {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Release[:])
}

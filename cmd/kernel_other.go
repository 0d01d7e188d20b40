//go:build !unix && !windows

package cmd

// kernelRelease is not known here.
func kernelRelease() string { return "" }

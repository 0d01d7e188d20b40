package cmd

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// kernelRelease is what RtlGetVersion says. It has not run yet.
func kernelRelease() string {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
}

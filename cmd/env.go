package cmd

import (
	"runtime"
	"runtime/debug"
)

// modulePath is this module's name in its go.mod.
const modulePath = "github.com/retry-lab/retry-lab"

func thisEnv() Env {
	return Env{OS: runtime.GOOS, Arch: runtime.GOARCH, Kernel: kernelRelease(), Go: runtime.Version(), Version: buildVersion()}
}

// buildVersion is what the go command entered for the main module.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

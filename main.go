// Command retry-lab shows what every failure of an HTTP call looks like from
// both sides, and whether the request may be sent again. See package cmd.
package main

import (
	"os"

	"github.com/retry-lab/retry-lab/cmd"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
}

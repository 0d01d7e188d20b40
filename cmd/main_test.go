package cmd

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be retry-lab itself, as a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"retry-lab": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv)) },
	})
}

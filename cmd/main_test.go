package cmd

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/retry-lab/retry-lab/scenarios"
)

// TestMain lets the test binary be retry-lab itself, as a process of its own,
// and the child that a case starts: the same binary once more.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == scenarios.ChildCommand {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv))
	}
	testscript.Main(m, map[string]func(){
		"ask-once":  func() { os.Exit(askOnce()) },
		"retry-lab": func() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.LookupEnv)) },
	})
}

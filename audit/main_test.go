//go:build linux

package audit

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// roleClient makes this binary one of the clients that tests audit.
const roleClient = "client"

// TestMain is also the child of a case, and the clients: the same binary.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case ChildCommand:
			if err := RunChild(context.Background(), os.Args[2:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case roleClient:
			os.Exit(clients[os.Args[2]]())
		}
	}
	os.Exit(m.Run())
}

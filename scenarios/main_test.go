package scenarios

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"testing"

	"go.uber.org/goleak"
)

// roleLab makes this binary run one case and nothing else, to be interrupted
// or killed.
const roleLab = "lab"

// TestMain is also the child that a case starts: the same binary once more.
func TestMain(m *testing.M) {
	var err error
	switch {
	case len(os.Args) > 2 && os.Args[1] == ChildCommand:
		err = runChild(context.Background(), groupsOfTests(), os.Args[2:])
	case len(os.Args) > 2 && os.Args[1] == roleLab:
		err = runLab(os.Args[2])
	default:
		// The race detector would keep each child for a second after its end.
		if err := os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=0"); err != nil {
			panic(err)
		}
		goleak.VerifyTestMain(m)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// groupsOfTests are the lab's groups and the cases that only tests run.
func groupsOfTests() []Group { return append(Groups(), childGroup()) }

// runLab runs one case until Ctrl-C.
func runLab(id string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	sel, err := Select(groupsOfTests(), []string{id})
	if err != nil {
		return err
	}
	_, err = Runner{}.Run(ctx, sel)
	return err
}

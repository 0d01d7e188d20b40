package cmd

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal returns both ends of a pseudo-terminal so many columns wide.
func openTerminal(t *testing.T, columns uint16) (screen, terminal *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("needs a pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: columns}); err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return screen, terminal
}

// onTerminal runs the program with the chosen streams on a terminal and returns
// its exit code, what the terminal showed, and what went elsewhere.
func onTerminal(t *testing.T, columns uint16, streams string, env []string, args ...string) (code int, shown, other string) {
	t.Helper()
	screen, terminal := openTerminal(t, columns)
	c := exec.CommandContext(t.Context(), "retry-lab", args...)
	c.Env = append(os.Environ(), env...)
	var elsewhere bytes.Buffer
	c.Stdout, c.Stderr = &elsewhere, &elsewhere
	if strings.Contains(streams, "in") {
		c.Stdin = terminal
	}
	if strings.Contains(streams, "out") {
		c.Stdout = terminal
	}
	if strings.Contains(streams, "err") {
		c.Stderr = terminal
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	var seen bytes.Buffer
	done := make(chan error, 1)
	go func() {
		_, err := io.Copy(&seen, screen) // ends with EIO when the program has
		done <- err
	}()
	err := c.Wait()
	<-done
	return exitOf(t, err), strings.ReplaceAll(seen.String(), "\r\n", "\n"), elsewhere.String()
}

func TestColourIsForATerminalThatWantsIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		sentence string
		streams  string
		env      []string
		args     []string
		colours  bool
	}{
		{"a terminal", "out", []string{"TERM=xterm", "NO_COLOR="}, nil, true},
		{"a pipe, with the messages on a terminal", "err", []string{"TERM=xterm", "NO_COLOR="}, nil, false},
		{"NO_COLOR", "out", []string{"TERM=xterm", "NO_COLOR=1"}, nil, false},
		{"a dumb terminal", "out", []string{"TERM=dumb", "NO_COLOR="}, nil, false},
		{"a terminal of no name", "out", []string{"TERM=", "NO_COLOR="}, nil, false},
		{"--color never", "out", []string{"TERM=xterm", "NO_COLOR="}, []string{"--color", "never"}, false},
		{"--color always wins over NO_COLOR", "out", []string{"TERM=dumb", "NO_COLOR=1"}, []string{"--color", "always"}, true},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			t.Parallel()
			code, shown, other := onTerminal(t, 100, tt.streams, tt.env, append([]string{"run", "status/503"}, tt.args...)...)
			results := shown
			if tt.streams == "err" {
				results = other
			}
			if colours := strings.Contains(results, "\x1b[32myes\x1b[0m"); code != exitOK || colours != tt.colours {
				t.Errorf("exit %d, colours %v, want %v:\n%q", code, colours, tt.colours, results)
			}
		})
	}
}

func TestATableIsAsWideAsItsTerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []uint16{40, 80, 100, 200} {
		code, shown, _ := onTerminal(t, columns, "out", []string{"TERM=xterm"}, "golden", "show", "--color", "never")
		if code != exitOK {
			t.Fatalf("exit %d:\n%s", code, shown)
		}
		widest := 0
		for line := range strings.Lines(shown) {
			widest = max(widest, displayWidth(strings.TrimRight(line, "\n")))
		}
		if widest > int(columns) {
			t.Errorf("at %d columns a line takes %d:\n%s", columns, widest, shown)
		}
		t.Logf("at %d columns the widest line takes %d", columns, widest)
	}
}

func TestALongRunShowsWhatIsStillGoing(t *testing.T) {
	t.Parallel()
	code, shown, results := onTerminal(t, 100, "err", []string{"TERM=xterm"}, "run", "charge", "--golden", t.TempDir(), "-o", "json")
	if code != exitOK || !strings.Contains(shown, clearLine) || !strings.Contains(shown, " of 3 cases done; still going: charge/") {
		t.Errorf("exit %d, shown %q", code, shown)
	}
	if i := strings.LastIndex(shown, clearLine); strings.Contains(shown[max(0, i):], "still going") {
		t.Errorf("the line was not cleared: %q", shown)
	}
	if strings.Contains(results, "still going") {
		t.Errorf("progress among the results: %q", results)
	}
	_, shown, _ = onTerminal(t, 100, "err", []string{"TERM=dumb"}, "run", "charge", "--golden", t.TempDir())
	if strings.Contains(shown, "still going") {
		t.Errorf("progress on a dumb terminal: %q", shown)
	}
}

func TestClassifyAsksWhoeverTypesNothing(t *testing.T) {
	t.Parallel()
	code, shown, _ := onTerminal(t, 200, "in err", nil, "classify")
	if code != exitUsage || shown != "retry-lab: nothing to classify ("+askForm+")\n" {
		t.Errorf("exit %d, shown %q", code, shown)
	}
}

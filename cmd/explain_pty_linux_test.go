package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAnExplanationIsAsWideAsItsTerminal(t *testing.T) {
	t.Parallel()
	const text = `Post "https://pay.example/": dial tcp 192.0.2.1:443: connect: connection refused`
	for _, columns := range []uint16{40, 80, 200} {
		code, shown, _ := onTerminal(t, columns, "out", []string{"TERM=xterm", "NO_COLOR="}, "explain", text)
		if code != exitOK || !strings.Contains(shown, "POST \x1b[32myes\x1b[0m") {
			t.Errorf("at %d columns: exit %d:\n%q", columns, code, shown)
		}
		plain := strings.NewReplacer("\x1b[32m", "", "\x1b[31m", "", "\x1b[33m", "", "\x1b[0m", "").Replace(shown)
		for line := range strings.Lines(plain) {
			if displayWidth(strings.TrimSuffix(line, "\n")) > int(columns) {
				t.Errorf("at %d columns: %q", columns, line)
			}
		}
	}
	_, shown, _ := onTerminal(t, 80, "out", []string{"TERM=xterm", "NO_COLOR=1"}, "explain", text)
	if strings.Contains(shown, "\x1b") {
		t.Errorf("colours in spite of NO_COLOR: %q", shown)
	}
	_, _, piped := onTerminal(t, 80, "err", []string{"TERM=xterm", "NO_COLOR="}, "explain", text)
	if strings.Contains(piped, "\x1b") || !strings.Contains(piped, "\nretries    net/http sends a request again by itself when a reused connection breaks before") {
		t.Errorf("in a pipe: %q", piped)
	}
}

// A log that takes its time shows how far it is, on a terminal alone. It is a
// pipe that the test holds open until the line was seen.
func TestALongLogShowsHowMuchWasRead(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "log")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Skipf("needs a named pipe: %v", err)
	}
	screen, terminal := openTerminal(t, 80)
	written := make(chan error, 1)
	seen := make(chan string, 1)
	go func() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			written <- err
			return
		}
		defer f.Close()
		if _, err := f.WriteString("read ECONNRESET\n"); err != nil {
			written <- err
			return
		}
		seen <- readUntil(screen, " s, 16 bytes read")
		written <- nil
	}()
	code, out := runWith(t, terminal, "explain", "--log", name, "-o", "json")
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if shown := <-seen; !strings.Contains(shown, clearLine) || !strings.Contains(shown, " s, 16 bytes read") {
		t.Errorf("shown: %q", shown)
	}
	if code != exitOK || !strings.Contains(out, `"records": 1`) || strings.Contains(out, "\x1b") {
		t.Errorf("exit %d, results %q", code, out)
	}
}

func TestExplainAsksWhoeverTypesNothing(t *testing.T) {
	t.Parallel()
	code, shown, _ := onTerminal(t, 200, "in err", nil, "explain")
	if code != exitUsage || shown != "retry-lab: nothing to explain ("+askText+")\n" {
		t.Errorf("exit %d, shown %q", code, shown)
	}
}

// readUntil reads a screen until text stands there, or it ends.
func readUntil(screen *os.File, text string) string {
	var shown []byte
	buf := make([]byte, 1024)
	for !strings.Contains(string(shown), text) {
		n, err := screen.Read(buf)
		shown = append(shown, buf[:n]...)
		if err != nil {
			break
		}
	}
	return string(shown)
}

// runWith runs the program with its messages on a terminal and returns its exit
// code and its results.
func runWith(t *testing.T, terminal *os.File, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	c := exec.CommandContext(t.Context(), "retry-lab", args...)
	c.Env = append(os.Environ(), "TERM=xterm")
	c.Stdout, c.Stderr = &out, terminal
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	return exitOf(t, c.Wait()), out.String()
}

package cmd

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestExplainIntoAClosedStdoutIsSilentAndExit141(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a closed pipe has another error there, which has not been tried")
	}
	log := filepath.Join(t.TempDir(), "app.log")
	if err := os.WriteFile(log, bytes.Repeat([]byte("read ECONNRESET\n"), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"explain read ECONNRESET", "explain the moon", "explain -o json read ECONNRESET", "explain --phrases", "explain --log " + log,
		"explain --log -o ndjson " + log, "explain --log -f " + log, "explain --lines",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			code, stderr := intoClosedPipe(t, "\"read ECONNRESET\"\n", args)
			if code != exitClosedPipe || stderr != "" {
				t.Errorf("exit %d, stderr %q; want 141 and silence", code, stderr)
			}
		})
	}
}

// Ctrl-C ends a log that still comes with what was found so far.
func TestAnInterruptEndsALogWithItsSummary(t *testing.T) {
	t.Parallel()
	for args, first := range map[string]string{
		"explain --log -f":           "-                    ECONNRESET     await     POST no       read ECONNRESET\n",
		"explain --log -f -o ndjson": "", // whatever it is
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			c := exec.CommandContext(t.Context(), "retry-lab", strings.Fields(args)...)
			stdin, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			stdout, err := c.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			var stderr bytes.Buffer
			c.Stderr = &stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(stdin, "calm\nread ECONNRESET\n"); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(stdout)
			if line, err := lines.ReadString('\n'); err != nil || first != "" && line != first {
				t.Errorf("the first failure, while the log is open: %q, %v", line, err)
			}
			if err := c.Process.Signal(os.Interrupt); err != nil {
				t.Skipf("this system cannot interrupt a process: %v", err)
			}
			rest, err := io.ReadAll(lines)
			if err != nil {
				t.Fatal(err)
			}
			summary := "\n1 failure in 1 group; 0 of them safe to send again as a bare POST; 21 bytes read\n"
			if strings.HasSuffix(string(rest), summary) != (first != "") {
				t.Errorf("after the interrupt: %q", rest)
			}
			if code := exitOf(t, c.Wait()); code != exitInterrupted || stderr.String() != "retry-lab: interrupted\n" {
				t.Errorf("exit %d, stderr %q; want 130, and one line that says so", code, stderr.String())
			}
		})
	}
}

// The program as it is built for use: the test binary starts more slowly.
func BenchmarkExplainColdStart(b *testing.B) {
	lab := filepath.Join(b.TempDir(), "retry-lab")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", lab, "..").CombinedOutput(); err != nil {
		b.Fatal(err, string(out))
	}
	for b.Loop() {
		if out, err := exec.CommandContext(b.Context(), lab, "explain", "read ECONNRESET").CombinedOutput(); err != nil {
			b.Fatal(err, string(out))
		}
	}
}

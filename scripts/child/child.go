// Package child runs a part of a program in a process of its own, which answers
// questions: a line on its stdin is a question, a line of JSON on its stdout the
// answer. A server that is measured shares neither memory nor descriptors with
// its clients then.
package child

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A Child is a process of this program.
type Child struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	answers *json.Decoder
}

// Start runs this program with these arguments. What it says on its stderr goes
// to stderr.
func Start(stderr io.Writer, args ...string) (*Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("own path: %w", err)
	}
	c := &Child{cmd: exec.Command(self, args...)}
	c.cmd.Stderr = stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("child: %w", err)
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("child: %w", err)
	}
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("child: %w", err)
	}
	c.answers = json.NewDecoder(stdout)
	return c, nil
}

// Ask sends a question of one line and decodes the answer into it.
func (c *Child) Ask(question string, answer any) error {
	if _, err := io.WriteString(c.stdin, question+"\n"); err != nil {
		return fmt.Errorf("ask %q: %w", question, err)
	}
	if err := c.answers.Decode(answer); err != nil {
		return fmt.Errorf("answer to %q: %w", question, err)
	}
	return nil
}

// Close ends the child's stdin, and so the child, and waits for it. The error
// also says that it did not exit with 0.
func (c *Child) Close() error {
	return errors.Join(c.stdin.Close(), c.cmd.Wait())
}

// CPU is the processor time that the child took in its life; zero before Close.
func (c *Child) CPU() time.Duration {
	if c.cmd.ProcessState == nil {
		return 0
	}
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
}

// Answer is the child's side: it answers each line of in, until in ends, as it
// also does when the process that holds the other end is killed.
func Answer(in io.Reader, out io.Writer, answer func(question string) (any, error)) error {
	lines := bufio.NewScanner(in)
	to := json.NewEncoder(out)
	for lines.Scan() {
		a, err := answer(lines.Text())
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if err := to.Encode(a); err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
	}
	return lines.Err()
}

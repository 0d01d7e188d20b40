package clients_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// An order and an answer are a line of the persistent mode each; in the other
// mode the order is the environment, and the answer what the process left.
type order struct {
	URL         string `json:"url"`
	Method      string `json:"method"`
	Key         string `json:"key"`
	BodyFile    string `json:"body_file"`
	Body        string `json:"body"`
	ContentType string `json:"content_type"`
	TimeoutMS   int    `json:"timeout_ms"`
	DeadlineMS  int    `json:"deadline_ms"`
	WarmURL     string `json:"warm_url"`
	CAFile      string `json:"ca_file"`
	Retries     int    `json:"retries"`
	BaseMS      int    `json:"base_ms"`
	Case        string `json:"case"`
}

type answer struct {
	OK     bool   `json:"ok"`
	Status int    `json:"status"`
	Body   string `json:"body"`
	Error  string `json:"error"`
}

func (o order) environment() []string {
	text := func(ms int) string {
		if ms == 0 {
			return ""
		}
		return fmt.Sprint(ms)
	}
	return append(os.Environ(),
		"RETRY_LAB_URL="+o.URL, "RETRY_LAB_METHOD="+o.Method, "RETRY_LAB_KEY="+o.Key,
		"RETRY_LAB_BODY_FILE="+o.BodyFile, "RETRY_LAB_BODY="+o.Body, "RETRY_LAB_CONTENT_TYPE="+o.ContentType,
		"RETRY_LAB_TIMEOUT_MS="+text(o.TimeoutMS), "RETRY_LAB_DEADLINE_MS="+text(o.DeadlineMS),
		"RETRY_LAB_WARM_URL="+o.WarmURL, "RETRY_LAB_CA_FILE="+o.CAFile,
		fmt.Sprintf("RETRY_LAB_RETRIES=%d", o.Retries), "RETRY_LAB_BASE_MS="+text(o.BaseMS), "RETRY_LAB_CASE="+o.Case,
		"NODE_EXTRA_CA_CERTS="+o.CAFile,
		"http_proxy=http://127.0.0.1:1", "https_proxy=http://127.0.0.1:1", // must not be used
	)
}

// runOnce starts a process for the order.
func runOnce(t *testing.T, command []string, o order) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Env = o.environment()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatalf("%v: still running: %s", c, &stderr)
	}
	return answer{OK: err == nil, Body: stdout.String(), Error: stderr.String()}
}

// A session is a process in its persistent mode.
type session struct {
	in  *json.Encoder
	out *bufio.Reader
}

// open starts one, which ends with the test.
func open(t *testing.T, command []string, caFile string) session {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	c := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], "--persistent")...)
	c.Env = order{CAFile: caFile}.environment()
	var stderr bytes.Buffer
	c.Stderr = &stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer cancel()
		in.Close()
		if err := c.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("at the end of its orders it ended with %v and said %q", err, &stderr)
		}
	})
	s := session{json.NewEncoder(in), bufio.NewReader(out)}
	if line, err := s.out.ReadString('\n'); strings.TrimSpace(line) != "READY" {
		t.Fatalf("first line %q, %v; want READY", line, err)
	}
	return s
}

func (s session) ask(t *testing.T, o order) answer {
	t.Helper()
	if err := s.in.Encode(o); err != nil {
		t.Fatal(err)
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return a
}

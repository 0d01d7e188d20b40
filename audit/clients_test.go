//go:build linux

package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// clients are programs that do one thing wrong each, by name. What they return
// is their exit code.
var clients = map[string]func() int{
	"once":         func() int { return send(1, 0, false) },
	"resends":      func() int { return send(5, 50*time.Millisecond, false) },
	"says success": func() int { send(1, 0, false); return 0 },
	"new key":      func() int { return send(3, 50*time.Millisecond, true) },
	"exits":        func() int { return 0 },
	"ignores the url": func() int {
		time.Sleep(10 * time.Millisecond)
		return 0
	},
	"sleeps": func() int {
		send(1, 0, false)
		time.Sleep(time.Hour)
		return 0
	},
	"ignores SIGTERM": func() int {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		send(1, 0, false)
		time.Sleep(time.Hour)
		return 0
	},
	"prints without end": func() int {
		send(1, 0, false)
		line := []byte(strings.Repeat("x", 1<<16))
		for {
			if _, err := os.Stdout.Write(line); err != nil {
				return 1
			}
		}
	},
	"closes its pipes": func() int {
		os.Stdout.Close()
		os.Stderr.Close()
		return send(1, 0, false)
	},
	"leaves a daemon": func() int {
		return daemon(os.Environ())
	},
	"leaves a daemon without an environment": func() int {
		return daemon(nil)
	},
	"daemon sends later": func() int {
		if os.Getppid() == 1 || os.Getenv("LATER") == "" {
			cmd := exec.Command(os.Args[0], roleClient, "daemon sends later")
			cmd.Env = append(os.Environ(), "LATER=1")
			cmd.SysProcAttr = detached()
			if cmd.Start() != nil {
				return 9
			}
			return send(1, 0, false)
		}
		time.Sleep(300 * time.Millisecond)
		send(1, 0, false)
		return 0
	},
	"escapes and secrets": func() int {
		fmt.Print("\x1b[31mAuthorization: Bearer s3cret\nCookie: id=s3cret\n\x00\xff")
		return send(1, 0, false)
	},
	"persistent":      func() int { return persist(func(o order) int { return try(o, 1, 0, false) }) },
	"persistent dies": func() int { return persist(func(order) int { os.Exit(4); return 0 }) },
}

// asked is the order in the environment.
func askedFor() order {
	return order{
		URL: os.Getenv("RETRY_LAB_URL"), Method: os.Getenv("RETRY_LAB_METHOD"), Key: os.Getenv("RETRY_LAB_KEY"),
		BodyFile: os.Getenv("RETRY_LAB_BODY_FILE"), WarmURL: os.Getenv("RETRY_LAB_WARM_URL"),
	}
}

func send(attempts int, pause time.Duration, newKey bool) int {
	return try(askedFor(), attempts, pause, newKey)
}

// try sends an order until it succeeds, with what of it is left to do wrong.
func try(o order, attempts int, pause time.Duration, newKey bool) int {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	body, err := os.ReadFile(o.BodyFile)
	if err != nil {
		return 9
	}
	for n := range attempts {
		if n > 0 {
			time.Sleep(pause)
		}
		req, err := http.NewRequest(o.Method, o.URL, bytes.NewReader(body))
		if err != nil {
			return 9
		}
		if o.Key != "" {
			req.Header.Set("Idempotency-Key", o.Key)
			if newKey {
				req.Header.Set("Idempotency-Key", fmt.Sprintf("%s-%d", o.Key, n))
			}
		}
		resp, err := client.Do(req)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err == nil && resp.StatusCode/100 == 2 {
			fmt.Print(string(text))
			return 0
		}
		if resp.StatusCode == 404 {
			return 1
		}
	}
	return 1
}

// daemon leaves a process in a session of its own that sleeps and holds the
// pipes open.
func daemon(env []string) int {
	cmd := exec.Command("/bin/sleep", sleepForDaemon)
	cmd.Env = append([]string{}, env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = detached()
	if cmd.Start() != nil {
		return 9
	}
	return send(1, 0, false)
}

// persist carries out one order a line.
func persist(carryOut func(order) int) int {
	fmt.Println("READY")
	stdout := os.Stdout
	os.Stdout = os.Stderr // what try prints is not the answer
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var o order
		if json.Unmarshal(in.Bytes(), &o) != nil {
			return 9
		}
		fmt.Fprintf(stdout, "{\"ok\":%v}\n", carryOut(o) == 0)
	}
	return 0
}

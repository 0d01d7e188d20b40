package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
)

// busy starts n processes that each keep a core occupied, and returns what
// ends them: closed stdins, so that they also end when this process is killed.
func busy(n int) (end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("own path: %w", err)
	}
	var ends []func()
	end = func() {
		for _, f := range ends {
			f()
		}
	}
	for range n {
		loop := exec.Command(self, spinArg)
		stdin, err := loop.StdinPipe()
		if err == nil {
			err = loop.Start()
		}
		if err != nil {
			end()
			return nil, fmt.Errorf("busy loop: %w", err)
		}
		ends = append(ends, func() {
			// An interrupt from the terminal has reached the loop as well, so
			// that neither the pipe's end nor its exit code says anything new.
			_ = stdin.Close()
			_ = loop.Wait()
		})
	}
	return end, nil
}

// spin occupies a core until r ends.
func spin(r io.Reader) {
	var ended atomic.Bool
	go func() {
		_, _ = io.Copy(io.Discard, r) // an error ends it as well
		ended.Store(true)
	}()
	for !ended.Load() {
	}
}

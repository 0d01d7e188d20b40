package audit

import (
	"os"
	"runtime"
)

// A spawner starts processes from one thread that lives as long as it does:
// the kernel kills a child with a death signal when the thread that forked it
// ends (go.dev/issue/27505).
type spawner struct {
	jobs chan func()
	done chan struct{}
}

func newSpawner() *spawner {
	s := &spawner{jobs: make(chan func()), done: make(chan struct{})}
	go func() {
		defer close(s.done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for job := range s.jobs {
			job()
		}
	}()
	return s
}

func (s *spawner) close() {
	close(s.jobs)
	<-s.done
}

// start starts a process in a group of its own.
func (s *spawner) start(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	var p *os.Process
	var err error
	ran := make(chan struct{})
	s.jobs <- func() {
		defer close(ran)
		attr.Sys = groupAttr()
		p, err = os.StartProcess(path, args, attr)
	}
	<-ran
	return p, err
}

// A mark tells what processes are of one run: by a variable in their
// environment, or by the pipe that they print to. Without a pipe it is that of
// all runs.
type mark struct {
	env  string // "NAME=value", or the beginning of it
	pipe os.FileInfo
}

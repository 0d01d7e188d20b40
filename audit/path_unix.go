//go:build unix

package audit

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lookPath finds a program as execvp(3) does, in the path that the command
// will have.
func lookPath(name, path string) (string, error) {
	err := errNotFound
	dirs := filepath.SplitList(path)
	switch {
	case strings.Contains(name, "/"):
		dirs = []string{""}
	case name == "":
		dirs = nil
	}
	for _, dir := range dirs {
		file := filepath.Join(dir, name)
		if dir == "" {
			file = name
		}
		info, missing := os.Stat(file)
		switch {
		case missing != nil:
		case info.IsDir():
			err = errFolder
		case info.Mode()&0o111 == 0:
			err = errNotExecutable
		default:
			return file, nil
		}
	}
	return "", notRun(name, err)
}

// signalOf is the signal that ended a process, 0 where none did.
func signalOf(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}

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
	dirs := filepath.SplitList(path)
	if strings.Contains(name, "/") {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		file := filepath.Join(dir, name)
		if dir == "" {
			file = name
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", notFound(name)
}

// signalOf is the signal that ended a process, 0 where none did.
func signalOf(s *os.ProcessState) int {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal())
	}
	return 0
}

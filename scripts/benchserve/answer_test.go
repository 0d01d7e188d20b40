package main

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"
)

// wholeAnswer is what a server sends for /200 on a connection that it closes.
func wholeAnswer(t *testing.T, addr string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET /200 HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// fields are the lines of an answer's head without what a clock or the length
// of a number changes, sorted.
func fields(answer string) []string {
	head, _, _ := strings.Cut(answer, "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	for i, line := range lines {
		if name, _, found := strings.Cut(line, ": "); found && (name == "Date" || name == "Content-Length") {
			lines[i] = name
		}
	}
	slices.Sort(lines)
	return lines
}

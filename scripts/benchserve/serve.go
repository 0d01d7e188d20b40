package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/retry-lab/retry-lab/scripts/child"
	"github.com/retry-lab/retry-lab/servers"
)

// What a child serves.
const (
	origin     = "origin"
	bareHTTP   = "net/http"
	bareResets = "reset loop"
)

// serve is a child: it says its address and, when it is asked, its memory.
func serve(what string, in io.Reader, out io.Writer) error {
	addr, err := open(what)
	if err != nil {
		return err
	}
	return child.Answer(in, out, func(question string) (any, error) {
		switch question {
		case "address":
			return addr, nil
		case "memory":
			return child.MeasureMemory(), nil
		}
		return nil, fmt.Errorf("unknown question")
	})
}

// open starts a server that lives as long as the process.
func open(what string) (addr string, err error) {
	if what == origin {
		o, err := servers.OpenOrigin(servers.OriginOptions{})
		if err != nil {
			return "", err
		}
		return o.Addr(), nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	if what == bareHTTP {
		go http.Serve(ln, http.HandlerFunc(status))
	} else {
		go resets(ln)
	}
	return ln.Addr().String(), nil
}

// sameBytes is an answer of /200 in the midst of a run.
const sameBytes = `{"call":"200","delivery":123456,"token":"0123456789abcdef"}` + "\n"

// status answers what the Origin's /200 does.
func status(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(sameBytes)))
	_, _ = io.WriteString(w, sameBytes) // to a client that left
}

// resets accepts, reads each head and resets.
func resets(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if err != nil {
			return // out of descriptors: wrk tells
		}
		go reset(c.(*net.TCPConn))
	}
}

func reset(c *net.TCPConn) {
	defer c.Close()
	head := make([]byte, 0, 4096)
	for !bytes.Contains(head, []byte("\r\n\r\n")) && len(head) < cap(head) {
		n, err := c.Read(head[len(head):cap(head)])
		if err != nil {
			return
		}
		head = head[:len(head)+n]
	}
	_ = c.SetLinger(0) // it fails only where the close is no other
}

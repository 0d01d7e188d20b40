package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/retry-lab/retry-lab/scripts/child"
)

// idleRounds are few: nothing of it is a matter of time.
const idleRounds = 3

// idleRows measures what idle connections cost a server's process.
func (p plan) idleRows(ctx context.Context) ([]row, error) {
	what := fmt.Sprintf("%d idle connections", p.idle)
	rss := row{what: what + ", resident KiB", target: 1.2}
	live := row{what: what + ", heap and stacks, KiB", target: 1.2}
	for range idleRounds {
		ours, err := p.idleMemory(ctx, origin)
		if err != nil {
			return nil, err
		}
		bare, err := p.idleMemory(ctx, bareHTTP)
		if err != nil {
			return nil, err
		}
		rss.add(float64(ours.Resident)/1024, float64(bare.Resident)/1024)
		live.add(float64(ours.Heap+ours.Stacks)/1024, float64(bare.Heap+bare.Stacks)/1024)
	}
	return []row{rss, live}, nil
}

// idleMemory is what a server of its own holds with that many connections.
func (p plan) idleMemory(ctx context.Context, what string) (m child.Memory, err error) {
	r, err := p.compete(what)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	conns := make([]net.Conn, 0, p.idle)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range p.idle {
		c, err := answered(ctx, r.addr)
		if err != nil {
			return m, fmt.Errorf("%s, connection %d: %w", what, len(conns)+1, err)
		}
		conns = append(conns, c)
	}
	return m, r.Ask("memory", &m)
}

// answered is a connection that has carried a request and its answer.
func answered(ctx context.Context, addr string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if err := ask(c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func ask(c net.Conn) error {
	if _, err := io.WriteString(c, "GET /200 HTTP/1.1\r\nHost: lab\r\n\r\n"); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

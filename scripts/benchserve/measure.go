package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/retry-lab/retry-lab/scripts/child"
)

// A rival is one of two servers that take turns.
type rival struct {
	*child.Child
	addr string
}

// compete starts a server.
func (p plan) compete(what string) (rival, error) {
	c, err := child.Start(p.stderr, serveArg, what)
	if err != nil {
		return rival{}, err
	}
	r := rival{Child: c}
	if err := c.Ask("address", &r.addr); err != nil {
		return rival{}, errors.Join(err, c.Close())
	}
	return r, nil
}

// A duel is one thing that the Origin and a bare server both do.
type duel struct {
	title  string
	bare   string
	path   string
	target float64
	rate   func(run) (float64, error)
}

var duels = []duel{
	{"requests/s of /200", bareHTTP, "/200", 0.85, run.answers},
	{"resets/s of /reset", bareResets, "/reset", 0.8, run.resets},
}

// measure does all of it.
func (p plan) measure(ctx context.Context) (rows []row, err error) {
	for _, d := range duels {
		for _, conns := range p.conns {
			r, err := p.duel(ctx, d, conns)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
	}
	if p.idle > 0 {
		idle, err := p.idleRows(ctx)
		if err != nil {
			return nil, err
		}
		rows = append(rows, idle...)
	}
	return rows, nil
}

// duel lets both take turns under wrk; who begins, changes from round to round.
func (p plan) duel(ctx context.Context, d duel, conns int) (r row, err error) {
	r = row{what: d.title + ", " + strconv.Itoa(conns) + " connections", target: d.target, atLeast: true}
	var rivals [2]rival
	for i, what := range []string{origin, d.bare} {
		if rivals[i], err = p.compete(what); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, rivals[i].Close()) }()
	}
	for round := range p.rounds {
		var rates [2]float64
		for turn := range rivals {
			i := (turn + round) % 2
			said, err := wrk(ctx, conns, p.time, "http://"+rivals[i].addr+d.path)
			if err != nil {
				return r, err
			}
			if rates[i], err = d.rate(said); err != nil {
				return r, err
			}
		}
		fmt.Fprintf(p.stderr, "benchserve: %s: round %d: %.0f to %.0f\n", r.what, round+1, rates[0], rates[1])
		r.ours, r.bare = append(r.ours, rates[0]), append(r.bare, rates[1])
	}
	return r, nil
}

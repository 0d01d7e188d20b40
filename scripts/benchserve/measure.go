package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

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

// duel is both servers in turns, and what it took them.
func (p plan) duel(ctx context.Context, d duel, conns int) (row, error) {
	r := row{what: d.title + ", " + strconv.Itoa(conns) + " connections", target: d.target, atLeast: true}
	ours, err := p.compete(origin)
	if err != nil {
		return r, err
	}
	bare, err := p.compete(d.bare)
	if err != nil {
		return r, errors.Join(err, ours.Close())
	}
	rivals := [2]rival{ours, bare}
	served, err := p.turns(ctx, d, conns, rivals, &r)
	err = errors.Join(err, ours.Close(), bare.Close())
	if err == nil {
		for i := range rivals {
			r.each[i] = time.Duration(float64(rivals[i].CPU()) / served[i])
		}
	}
	return r, err
}

// turns lets both take turns under wrk, and counts what each has served; who
// begins, changes from round to round.
func (p plan) turns(ctx context.Context, d duel, conns int, rivals [2]rival, r *row) (served [2]float64, err error) {
	for round := range p.rounds {
		var rates [2]float64
		for turn := range rivals {
			i := (turn + round) % 2
			said, err := wrk(ctx, conns, p.time, "http://"+rivals[i].addr+d.path)
			if err != nil {
				return served, err
			}
			if rates[i], err = d.rate(said); err != nil {
				return served, err
			}
			served[i] += rates[i] * said.took.Seconds()
		}
		fmt.Fprintf(p.stderr, "benchserve: %s: round %d: %.0f to %.0f\n", r.what, round+1, rates[0], rates[1])
		r.add(rates[0], rates[1])
	}
	return served, nil
}

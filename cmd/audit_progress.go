package cmd

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// auditProgress shows how far an audit is, where stderr is a terminal: tell is
// told, and stop returns when nothing more will be written.
func (a *app) auditProgress() (tell func(done, of int), stop func()) {
	if !isTerminal(a.stderr) || a.dumb() {
		return nil, func() {}
	}
	var done, of atomic.Int64
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		start, t := time.Now(), time.NewTicker(tick)
		defer t.Stop()
		for {
			select {
			case <-t.C: // nobody to tell if it fails
				fmt.Fprintf(a.stderr, "%s%.1f s, %d of %d runs done", clearLine, time.Since(start).Seconds(), done.Load(), of.Load())
			case <-quit:
				io.WriteString(a.stderr, clearLine)
				return
			}
		}
	}()
	return func(d, o int) { done.Store(int64(d)); of.Store(int64(o)) }, func() { close(quit); <-gone }
}

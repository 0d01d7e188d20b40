package cmd

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/retry-lab/retry-lab/scenarios"
)

func TestProgressIsQuietForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{}
		p.begin(&out, 80, 2)
		p.tell(scenarios.Progress{Case: "a/b"})
		time.Sleep(quiet - time.Millisecond)
		p.stop()
		if out.Len() > 0 {
			t.Errorf("a short run printed %q", out.String())
		}
	})
}

func TestProgressNamesWhatIsStillGoingAndClearsItsLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{}
		p.begin(&out, 80, 3)
		for _, id := range []string{"a/done", "network/backlog-full", "x/\x1b[2J"} {
			p.tell(scenarios.Progress{Case: id})
		}
		p.tell(scenarios.Progress{Case: "a/done", Done: true})
		time.Sleep(quiet + tick + tick/2)
		p.stop()
		want := clearLine + `0.3 s, 1 of 3 cases done; still going: network/backlog-full, x/\x1b[2J` +
			clearLine + `0.4 s, 1 of 3 cases done; still going: network/backlog-full, x/\x1b[2J` + clearLine
		if out.String() != want {
			t.Errorf("printed\n%q, want\n%q", out.String(), want)
		}
	})
}

func TestProgressTakesOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{}
		p.begin(&out, 40, 100)
		for range 100 {
			p.tell(scenarios.Progress{Case: "network/backlog-full"})
		}
		time.Sleep(quiet)
		synctest.Wait()
		p.stop()
		line := strings.TrimSuffix(strings.TrimPrefix(out.String(), clearLine), clearLine)
		if displayWidth(line) >= 40 || !strings.HasSuffix(line, "…") {
			t.Errorf("the line takes %d columns of 40: %q", displayWidth(line), line)
		}
	})
}

func TestAnInterruptDoesNotWaitForWhoDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := contextOf(t)
		forever := make(chan struct{})
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		var stderr strings.Builder
		a := newApp(nil, nil, &stderr, func(string) (string, bool) { return "", false }, lab{})
		code := untilInterrupted(ctx, func() int { <-forever; return 0 }, briefly, a.abandon)
		if took := time.Since(start) - time.Second; code != exitInterrupted || took < 0 || took >= 200*time.Millisecond {
			t.Errorf("exit %d after %v, want 130 within 200 ms", code, took)
		}
		a.sayInterrupted() // as the command does that notices it in the same instant
		if stderr.String() != "retry-lab: interrupted\n" {
			t.Errorf("stderr %q, want one line that says so", stderr.String())
		}
		close(forever)
	})
}

func TestAnInterruptDoesNotWaitForAStderrThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := contextOf(t)
		forever := make(chan struct{})
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		code := untilInterrupted(ctx, func() int { <-forever; return 0 }, briefly, func() { <-forever })
		if took := time.Since(start) - time.Second; code != exitInterrupted || took >= 200*time.Millisecond {
			t.Errorf("exit %d after %v, want 130 within 200 ms", code, took)
		}
		close(forever)
	})
}

func TestAnInterruptLetsACommandEndByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := contextOf(t)
		time.AfterFunc(time.Second, cancel)
		code := untilInterrupted(ctx, func() int { <-ctx.Done(); time.Sleep(grace / 2); return 42 }, briefly, func() { t.Error("it was abandoned") })
		if code != 42 {
			t.Errorf("exit %d, want its own", code)
		}
	})
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/retry-lab/retry-lab/scenarios"
)

// spoil changes a run so that something is to be found in it.
func spoil(change func(*scenarios.Result)) scenarios.Result {
	res := testResult()
	change(&res)
	return res
}

func breach(basis string) []scenarios.Breach {
	return []scenarios.Breach{{Row: "network/reset", Attempt: 1, Verdict: "retry", Basis: "claimed", Why: "basis " + basis}}
}

func TestExitCodeSaysWhatTheRunCameTo(t *testing.T) {
	allSkipped := func(r *scenarios.Result) { r.Groups[1].Rows[0].Skipped = "no raw sockets" }
	oneSkipped := func(r *scenarios.Result) { r.Groups[0].Rows[0].Skipped = "no raw sockets" }
	drift := func(r *scenarios.Result) { setCell(&r.Groups[0].Rows[1], "syscall", "write") }
	unsafe := func(r *scenarios.Result) { r.Sound.Unsafe = breach("guaranteed") }
	refuted := func(r *scenarios.Result) { r.Sound.RefutedClaims = breach("claimed") }
	none := func(*scenarios.Result) {}
	for _, tt := range []struct {
		sentence string
		change   func(*scenarios.Result)
		missing  bool // no golden table for charge
		args     string
		code     int
		last     string // of the output
		warning  bool
	}{
		{"all agree", none, false, "", 0, "3 rows in 2 groups, all as in the golden tables", false},
		{"a cell differs", drift, false, "", 1, "1 cell differs from the golden tables", false},
		{"a guaranteed never was refuted, whatever the table says", unsafe, false, "", 1, "1 unsound verdict", false},
		{"a refuted claim is told and does not fail", refuted, false, "", 0, "all as in the golden tables", false},
		{"a refuted claim fails a strict run", refuted, false, "--strict", 1, "1 refuted claim, strictly judged", false},
		{"a strict run compares nothing", drift, false, "--strict", 0, "strictly judged and not compared", false},
		{"a missing table is a warning", none, true, "", 0, "all as in the golden tables, 1 group without a golden table", true},
		{"a missing table fails with --require-all", none, true, "--require-all", 3, "1 group without a golden table", true},
		{"a strict run needs no table", none, true, "--strict --require-all", 0, "strictly judged and not compared", false},
		{"a skipped group is left out", allSkipped, false, "", 0, "all as in the golden tables, 1 row skipped", false},
		{"a skipped group fails with --require-all", allSkipped, false, "--require-all", 3, "1 row skipped", false},
		{"a skipped row is left out", oneSkipped, false, "", 0, "1 row skipped", false},
		{"a skipped row fails with --require-all", oneSkipped, false, "--require-all", 3, "1 row skipped", false},
		{"a drift counts before what is missing", drift, true, "--require-all", 1, "1 cell differs from the golden tables, 1 group without", true},
	} {
		for _, command := range []string{"all", "check", "run network charge"} {
			t.Run(command+"/"+tt.sentence, func(t *testing.T) {
				l, dir := testLab(t, testResult())
				record(t, l, dir)
				if tt.missing {
					if err := os.Remove(filepath.Join(dir, "linux", "charge.md")); err != nil {
						t.Fatal(err)
					}
				}
				res := spoil(tt.change)
				l.run = func(_ context.Context, _ scenarios.Runner, sel []scenarios.Selection) (scenarios.Result, error) {
					return selected(res, sel), nil
				}
				got := invoke(t, l, "", strings.Fields(command+" "+tt.args)...)
				if got.code != tt.code {
					t.Errorf("exit %d, want %d; stdout:\n%s\nstderr: %s", got.code, tt.code, got.stdout, got.stderr)
				}
				if !strings.Contains(oneLine(got.stdout), tt.last) {
					t.Errorf("stdout does not say %q:\n%s", tt.last, got.stdout)
				}
				if warned := strings.Contains(got.stderr, "retry-lab: warning: no golden table on this platform, not compared: charge ("); warned != tt.warning {
					t.Errorf("warning is %v, want %v; stderr: %q", warned, tt.warning, got.stderr)
				}
			})
		}
	}
}

// oneLine undoes the wrapping of a summary.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestWrongUsageIsOneLineWithAHintAndExit2(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		stderr string // a pattern
	}{
		{[]string{}, `no command given \(see 'retry-lab --help'\)`},
		{[]string{"chekc"}, `unknown command "chekc" \(did you mean check\?\)`},
		{[]string{"qqqqq"}, `unknown command "qqqqq" \(see 'retry-lab --help'\)`},
		{[]string{"golden"}, `no command given \(see 'retry-lab golden --help'\)`},
		{[]string{"golden", "updat"}, `unknown command "updat" \(did you mean update\?\)`},
		{[]string{"help", "nothing"}, `no help for "nothing" \(see 'retry-lab --help'\)`},
		{[]string{"all", "network"}, `unknown command "network" for "retry-lab all" \(see 'retry-lab all --help'\)`},
		{[]string{"all", "--nope"}, `unknown flag: --nope \(see 'retry-lab all --help'\)`},
		{[]string{"all", "-o", "xml"}, `invalid argument "xml" for "-o, --output" flag: want one of table, json, markdown, junit, github \(see .*\)`},
		{[]string{"all", "--color", "sometimes"}, `.*want one of auto, always, never \(see .*\)`},
		{[]string{"all", "-j", "x"}, `invalid argument "x" for "-j, --jobs" flag: want a number from 0 to 10000, .*\(see .*\)`},
		{[]string{"all", "-j", "-1"}, `invalid argument "-1" for "-j, --jobs" flag: want a number from 0 to 10000, in decimal digits .*\(see .*\)`},
		{[]string{"all", "-j", "010"}, `invalid argument "010" for "-j, --jobs" flag: want a number from 0 to 10000, .*`},
		{[]string{"all", "-j", "99999999999999999999"}, `invalid argument "9+" for "-j, --jobs" flag: want a number from 0 to 10000, .*`},
		{[]string{"all", "--golden", ""}, `invalid argument "" for "--golden" flag: want a folder \(see .*\)`},
		{[]string{"golden", "update", "--golden="}, `invalid argument "" for "--golden" flag: want a folder \(see .*\)`},
		{[]string{"all", "--strict=maybe"}, `invalid argument "maybe" for "--strict" flag: want true or false \(see .*\)`},
		{[]string{"all", "--strict="}, `invalid argument "" for "--strict" flag: want true or false \(see .*\)`},
		{[]string{"all", "--color", ""}, `invalid argument "" for "--color" flag: want one of .*`},
		{[]string{"all", "-o", ""}, `invalid argument "" for "-o, --output" flag: want one of .*`},
		{[]string{"run", ""}, `unknown case or group "" \(see 'retry-lab list'\)`},
		{[]string{"run", "*"}, `unknown case or group "\*" \(see 'retry-lab list'\)`},
		{[]string{"run", "NETWORK"}, `unknown case or group "NETWORK" \(did you mean network\b.*\)`},
		{[]string{"completion"}, `no command given \(see 'retry-lab completion --help'\)`},
		{[]string{"completion", "nope"}, `unknown command "nope" \(see 'retry-lab completion --help'\)`},
		{[]string{"completion", "bsh"}, `unknown command "bsh" \(did you mean bash.*\)`},
		{[]string{"completion", "bash", "x"}, `unknown command "x" for "retry-lab completion bash" \(see .*\)`},
		{[]string{"all", "--golden", "/does/not/exist"}, `cannot open golden folder /does/not/exist: .* \(--golden wants a folder .*\)`},
		{[]string{"run"}, `run what\? \(name groups, .*\)`},
		{[]string{"run", "network/refusd"}, `unknown case or group "network/refusd" \(did you mean network/refused.*\)`},
		{[]string{"run", "network/["}, `pattern "network/\[": .* \(see 'retry-lab list'\)`},
		{[]string{"run", "a\x1b]0;b"}, `unknown case or group "a\\x1b\]0;b" \(.*\)`},
		{[]string{"run", "--\x1b[31m"}, `unknown flag: --\\x1b\[31m \(.*\)`},
		{[]string{"list", "charg"}, `unknown case or group "charg" \(did you mean charge.*\)`},
		{[]string{"check", "refused"}, `unknown case or group "refused" \(did you mean network/refused.*\)`},
		{[]string{"golden", "show", "x/y"}, `unknown case or group "x/y" \(.*\)`},
		{[]string{"golden", "diff", "--runs", "0"}, `invalid argument "0" for "--runs" flag: want a number from 1 to 1000, .*`},
		{[]string{"golden", "update", "--runs", "0x10"}, `invalid argument "0x10" for "--runs" flag: want a number from 1 to 1000, .*`},
		{[]string{"golden", "update"}, `this is not the module github.com/retry-lab/retry-lab, .* \(--golden DIR names .*\)`},
		{[]string{"version", "x"}, `unknown command "x" for "retry-lab version" \(.*\)`},
		{[]string{"classify", "--status", "99"}, `invalid argument "99" for "--status" flag: want a number from 100 to 999, in decimal digits without leading zeros \(see 'retry-lab classify --help'\)`},
		{[]string{"classify", "--status", "0"}, `invalid argument "0" for "--status" flag: want a number from 100 to 999, .*`},
		{[]string{"classify", "--status", "5oo"}, `invalid argument "5oo" for "--status" flag: want a number from 100 to 999, .*`},
		{[]string{"classify", "--status", "0503"}, `invalid argument "0503" for "--status" flag: want a number from 100 to 999, .*`},
		{[]string{"classify", "--status", "0x1F7"}, `invalid argument "0x1F7" for "--status" flag: want a number from 100 to 999, .*`},
		{[]string{"classify", "--status", "5_03"}, `invalid argument "5_03" for "--status" flag: want a number from 100 to 999, .*`},
		{[]string{"classify", "--status", "+503"}, `invalid argument "\+503" for "--status" flag: want a number from 100 to 999, .*`},
		{[]string{"classify", "--status", " 503"}, `invalid argument " 503" for "--status" flag: want a number from 100 to 999, .*`},
		{[]string{"classify", "--status", "1000"}, `invalid argument "1000" for "--status" flag: want a number from 100 to 999, .*`},
		{[]string{"classify", "--status", ""}, `invalid argument "" for "--status" flag: want a number from 100 to 999, .*`},
		{[]string{"classify", "--status", "503", "--key=1x"}, `invalid argument "1x" for "--key" flag: want true or false \(see .*\)`},
		{[]string{"classify", "--code", ""}, `invalid argument "" for "--code" flag: want a code such as ECONNRESET \(see .*\)`},
		{[]string{"classify", "--code", "EPIPE", "--syscall", ""}, `invalid argument "" for "--syscall" flag: want a call such as connect \(see .*\)`},
		{[]string{"classify", "--code", "EPIPE", "--phase="}, `invalid argument "" for "--phase" flag: want a phase such as await \(see .*\)`},
		{[]string{"classify", "--status", "503", "--header", ""}, `header "" has no colon \(.*\)`},
		{[]string{"classify", "--status", "503", "--max-wait", ""}, `invalid argument "" for "--max-wait" flag: want a duration such as 5s, 1m30s or 500ms \(see .*\)`},
		{[]string{"classify", "--status", "503", "--method", "GE T"}, `method "GE T" is not a token .* \(a method is one word, such as GET or POST\)`},
		{[]string{"classify", "--status", "503", "--method", ""}, `invalid argument "" for "--method" flag: want a method such as POST \(see .*\)`},
		{[]string{"classify", "--status", "503", "--header", "Retry-After 1"}, `header "Retry-After 1" has no colon \(a header is written 'Name: value'\)`},
		{[]string{"classify", "--status", "503", "--header", "Retry After: 1"}, `header name "Retry After" is not a token .* \(a header is written 'Name: value'\)`},
		{[]string{"classify", "--status", "503", "--header", "A: b\x1bc"}, `header A has a control character in its value \(a header .*\)`},
		{[]string{"classify", "--status", "503", "--code", "EPIPE"}, `status and code, syscall or phase exclude each other \(.*\)`},
		{[]string{"classify", "--syscall", "read"}, `there is neither a status nor a code \(give --status.*\)`},
		{[]string{"classify", "--code", "EBLAH"}, `unknown code "EBLAH" \(a code is .*\)`},
		{[]string{"classify", "--code", "EPIPE", "--syscall", "send"}, `unknown syscall "send" \(a syscall is one of .*write.*\)`},
		{[]string{"classify", "--code", "EPIPE", "--phase", "later"}, `unknown phase "later" \(a phase is one of .*await.*\)`},
		{[]string{"classify", "--code", "EPIPE", "--header", "A: b"}, `headers do not go with a code \(only a response has headers.*\)`},
		{[]string{"classify", "--status", "503", "--key", "--key-unhonoured"}, `.*\[key key-unhonoured\].* \(see .*\)`},
		{[]string{"classify", "--status", "503", "--max-wait", "5"}, `invalid argument "5" for "--max-wait" flag: want a duration such as 5s, 1m30s or 500ms \(see .*\)`},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			l, _ := testLab(t, testResult())
			got := invoke(t, l, "", tt.args...)
			if got.code != exitUsage || got.stdout != "" {
				t.Errorf("exit %d with stdout %q, want 2 with none", got.code, got.stdout)
			}
			if want := regexp.MustCompile(`^retry-lab: ` + tt.stderr + `\n$`); !want.MatchString(got.stderr) {
				t.Errorf("stderr %q, want one line like %s", got.stderr, want)
			}
		})
	}
}

func TestABrokenLabIsOneLineAndExit3(t *testing.T) {
	broken := fmt.Errorf("network/refused: listen tcp 127.0.0.1:0: %w", os.NewSyscallError("socket", syscall.EMFILE))
	for _, tt := range []struct {
		sentence, format, stdout string
	}{
		{"a person reads the message", "table", ""},
		{"json has no report", "json", ""},
		{"junit has an error", "junit", `errors="1"`},
		{"github has an annotation", "github", "::error title=the lab could not run::network/refused"},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			l, _ := testLab(t, testResult())
			l.run = func(context.Context, scenarios.Runner, []scenarios.Selection) (scenarios.Result, error) {
				return scenarios.Result{}, broken
			}
			got := invoke(t, l, "", "check", "-o", tt.format)
			want := "retry-lab: " + broken.Error() + " (raise the limit of open files, or run fewer cases at once with -j)\n"
			if got.code != exitBroken || got.stderr != want {
				t.Errorf("exit %d, stderr %q; want 3, %q", got.code, got.stderr, want)
			}
			if !strings.Contains(got.stdout, tt.stdout) || tt.stdout == "" && got.stdout != "" {
				t.Errorf("stdout %q, want %q in it", got.stdout, tt.stdout)
			}
		})
	}
}

func TestTheHintIsAboutTheErrorThatHappened(t *testing.T) {
	bind := func(port int, errno syscall.Errno) error {
		return &net.OpError{Op: "listen", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, Err: os.NewSyscallError("bind", errno)}
	}
	for _, tt := range []struct {
		sentence string
		err      error
		want     string
	}{
		{"a taken address", bind(8080, syscall.EADDRINUSE), "another program has the address"},
		{"any port was wanted and none is left", bind(0, syscall.EADDRINUSE), "no local port is free; "},
		{"the same without an address", os.NewSyscallError("bind", syscall.EADDRINUSE), "another program has the address"},
		{"no such address, or no port to connect from", os.NewSyscallError("connect", syscall.EADDRNOTAVAIL), "loopback interface, 127.0.0.1, and free local ports"},
		{"what has no hint of its own", syscall.ENOTSUP, "see 'retry-lab list'"},
	} {
		if got := hintFor(fmt.Errorf("x/y: %w", tt.err)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q in it", tt.sentence, got, tt.want)
		}
	}
}

func TestAMessageCutsWhatItQuotes(t *testing.T) {
	long := strings.Repeat("é", 50_000)
	for _, args := range [][]string{
		{"run", long}, {"list", long}, {"golden", "show", long}, {long}, {"help", long}, {"--" + long}, {"all", "-o", long}, {"all", "-j", long},
		{"all", "--golden", "/" + long}, {"all", "--golden", "/" + strings.Repeat("e ", 50_000)},
		{"classify", "--status", long}, {"classify", "--code", long}, {"classify", "--status", "503", "--header", long},
		{"classify", "--status", "503", "--method", long}, {"classify", "--status", "503", "--max-wait", long}, {"run", `"` + strings.Repeat(`\"`, 50_000)},
	} {
		l, _ := testLab(t, testResult())
		got := invoke(t, l, "", args...)
		if got.code != exitUsage && got.code != exitBroken || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%.20q: exit %d, stderr %.200q; want one line", args, got.code, got.stderr)
		}
		if n := utf8.RuneCountInString(got.stderr); n > mostSaid+200 || !strings.Contains(got.stderr, "…") {
			t.Errorf("%.20q: the message has %d characters: %.200q", args, n, got.stderr)
		}
	}
}

// failing fails every write with err.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestResultsThatCannotBeWrittenDecideTheExitCode(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
	for _, tt := range []struct {
		sentence string
		err      error
		code     int
		stderr   string
	}{
		{"a closed pipe is silent", &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, exitClosedPipe, ""},
		{"a stdout that is only read says so", &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EBADF}, exitBroken,
			"retry-lab: cannot write the results: " + syscall.EBADF.Error() + " (stdout is not open for writing)\n"},
		{"of another error nothing is guessed", &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EIO}, exitBroken,
			"retry-lab: cannot write the results: " + syscall.EIO.Error() + "\n"},
		{"a full disk is one line", full, exitBroken, "retry-lab: cannot write the results: " + syscall.ENOSPC.Error() + " (is the disk full?)\n"},
	} {
		for _, args := range [][]string{
			{"all"}, {"all", "-o", "json"}, {"check"}, {"check", "-o", "junit"}, {"list"}, {"version"}, {"--help"},
			{"classify", "--status", "503"}, {"golden", "show"}, {"golden", "show", "-o", "markdown"}, {"completion", "bash"},
		} {
			t.Run(tt.sentence+"/"+strings.Join(args, " "), func(t *testing.T) {
				l, dir := testLab(t, testResult())
				record(t, l, dir)
				var stderr strings.Builder
				a := newApp(strings.NewReader(""), failing{tt.err}, &stderr, os.LookupEnv, l)
				if code := a.execute(t.Context(), args); code != tt.code || stderr.String() != tt.stderr {
					t.Errorf("exit %d, stderr %q; want %d, %q", code, stderr.String(), tt.code, tt.stderr)
				}
			})
		}
	}
}

func TestAnInterruptedRunExits130AndSaysSo(t *testing.T) {
	l, _ := testLab(t, testResult())
	ctx, cancel := context.WithCancel(t.Context())
	l.run = func(ctx context.Context, _ scenarios.Runner, _ []scenarios.Selection) (scenarios.Result, error) {
		cancel()
		<-ctx.Done()
		return scenarios.Result{}, context.Cause(ctx)
	}
	for _, format := range formats() {
		var stdout, stderr strings.Builder
		a := newApp(strings.NewReader(""), &stdout, &stderr, os.LookupEnv, l)
		if code := a.execute(ctx, []string{"all", "-o", format}); code != exitInterrupted || stdout.String() != "" {
			t.Errorf("-o %s: exit %d with stdout %q, want 130 with none", format, code, stdout.String())
		}
		if !strings.HasSuffix(stderr.String(), "retry-lab: interrupted\n") {
			t.Errorf("-o %s: stderr %q", format, stderr.String())
		}
	}
}

func TestTheRunnerGetsWhatTheFlagsSay(t *testing.T) {
	l, _ := testLab(t, testResult())
	var got scenarios.Runner
	var rows []string
	l.run = func(_ context.Context, r scenarios.Runner, sel []scenarios.Selection) (scenarios.Result, error) {
		got, rows = r, nil
		for _, s := range sel {
			for _, row := range s.Rows {
				rows = append(rows, row.ID)
			}
		}
		return testResult(), nil
	}
	if o := invoke(t, l, "", "run", "network/re*", "charge", "-j", "3", "--strict"); o.code != exitOK {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	if got.Jobs != 3 || !got.Policy.Strict {
		t.Errorf("runner has jobs %d, strict %v; want 3, true", got.Jobs, got.Policy.Strict)
	}
	if want := "network/refused network/reset charge/bare"; strings.Join(rows, " ") != want {
		t.Errorf("selected %v, want %s", rows, want)
	}
	if text := got.Normalize("lookup x. on 127.0.0.1:5353: no such host; dial 127.0.0.1:80", "127.0.0.1:5353"); text != "lookup x. on RESOLVER: no such host; dial 127.0.0.1:PORT" {
		t.Errorf("normalised to %q", text)
	}
}

func TestCheckPrintsNothingButTheSummaryWhereAllAgree(t *testing.T) {
	l, dir := testLab(t, testResult())
	record(t, l, dir)
	got := invoke(t, l, "", "check")
	if want := "3 rows in 2 groups, all as in the golden tables\n"; got != (outcome{0, want, ""}) {
		t.Errorf("check gave %+v, want only %q", got, want)
	}
}

func TestCheckPrintsOneLineForEachCellThatDiffers(t *testing.T) {
	l, dir := testLab(t, testResult())
	record(t, l, dir)
	res := spoil(func(r *scenarios.Result) {
		setCell(&r.Groups[0].Rows[1], "syscall", "write")
		setCell(&r.Groups[0].Rows[1], "message", "a\nb\x1b[2J")
	})
	l.run = func(_ context.Context, _ scenarios.Runner, sel []scenarios.Selection) (scenarios.Result, error) {
		return selected(res, sel), nil
	}
	got := invoke(t, l, "", "check", "--golden", dir)
	file := filepath.Join(dir, "linux", "network.md")
	want := "drift " + file + ":8: network/reset syscall: want read, got write\n" +
		"drift " + file + `:8: network/reset message: want read tcp 127.0.0.1:PORT->127.0.0.1:PORT: read: connection reset by peer, got a\u{a}b\u{1b}[2J` + "\n" +
		"2 cells differ from the golden tables\n"
	if got.stdout != want || got.code != exitDiffers {
		t.Errorf("exit %d, stdout\n%s\nwant 1,\n%s", got.code, got.stdout, want)
	}
}

func TestColourFollowsTheFlagAndNothingElse(t *testing.T) {
	for _, tt := range []struct {
		args    string
		colours bool
	}{
		{"all", false}, // stdout is no terminal
		{"all --color never", false},
		{"all --color always", true},
		{"--color always all", true},
		{"all --color always -o json", false},
		{"all --color always -o markdown", false},
		{"all --color always -o junit", false},
		{"all --color always -o github", false},
	} {
		l, _ := testLab(t, testResult())
		got := invoke(t, l, "", strings.Fields(tt.args)...)
		if colours := strings.Contains(got.stdout, "\x1b["); colours != tt.colours {
			t.Errorf("%s: colours %v, want %v", tt.args, colours, tt.colours)
		}
	}
}

func TestAFailedWriteIsRememberedOverALaterGoodOne(t *testing.T) {
	o := &output{w: failing{io.ErrShortWrite}}
	_, first := o.Write([]byte("a"))
	o.w = io.Discard
	_, second := o.Write([]byte("b"))
	if !errors.Is(first, io.ErrShortWrite) || !errors.Is(second, io.ErrShortWrite) || !errors.Is(o.err, io.ErrShortWrite) {
		t.Errorf("errors %v, %v, %v; want io.ErrShortWrite each time", first, second, o.err)
	}
}

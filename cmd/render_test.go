package cmd

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// hostile holds what a network, a golden file or a file name may hold to take
// over a terminal, a table, a web page or a CI system.
const hostile = "\x1b[2J\x07a|b\nnew|row\r\x00<script>alert(1)</script> %0A::error::x,y:z `code` [l](http://u:pw@h/) \u009b31m \u202egnp \u200b \xff ]]> & *b*"

// hostileReport has something to say of every kind, and hostile text wherever a
// text may come from outside.
func hostileReport() Report {
	res := testResult()
	row := &res.Groups[0].Rows[1]
	setCell(row, "message", hostile)
	row.Seen["code"] = map[string]int{"ECONNRESET": 19, "EPIPE": 1}
	row.Cells["code"] = "ECONNRESET or EPIPE"
	row.Attempts[0].Message = hostile
	row.Attempts[0].Events[0].What = hostile
	row.Ledger[0].Path = "/" + hostile
	row.Ledger[0].Method = hostile
	res.Groups[0].Rows[0].Skipped = hostile
	res.Groups[1].Rows[0] = scenarios.Row{ID: "charge/bare", Def: res.Groups[1].Rows[0].Def, NotSeen: true, Cells: map[string]string{}}
	r := newReport()
	r.Env = Env{OS: "linux", Arch: "amd64", Kernel: "6.18.0", Go: "go1.26", Version: "v0.1.0"}
	r.RequireAll = true
	r.ElapsedMS = 1234.5
	network := newGroup(res.Groups[0], expectation{file: "golden/linux/network.md"}, false)
	network.Title = hostile
	network.Golden = goldenDrift
	network.Drift = []golden.Drift{
		{Row: "network/reset", Column: "syscall", Want: "write", Got: "read", File: "golden/linux/network.md", Line: 12},
		{Row: "network/reset", Column: "message", Want: "x", Got: hostile, File: "golden/linux/a,b:c.md", Line: 12},
		{Row: "network/gone", Column: "id", Want: "(a golden row)", Got: "(no case)", File: "golden/linux/network.md", Line: 13},
	}
	r.Groups = []Group{network, newGroup(res.Groups[1], expectation{file: "golden/linux/charge.md"}, false)}
	r.Sound = scenarios.Sound{
		Checked:       3,
		Unsafe:        []scenarios.Breach{{Row: "network/reset", Attempt: 1, Verdict: "retry", Basis: "guaranteed", Why: hostile}},
		RefutedClaims: []scenarios.Breach{{Row: "network/reset", Attempt: 1, Verdict: "retry", Basis: "claimed", Why: "judged never (claimed)"}},
	}
	r.Useful = scenarios.Useful{Checked: 2, Withheld: []scenarios.Withheld{{Row: "network/reset", Reason: hostile}}}
	return r
}

// renderers are all of them, by name.
func renderers() map[string]func(io.Writer, Report) error {
	plain := newPalette(false)
	return map[string]func(io.Writer, Report) error{
		"table-100.txt": renderTable(view{palette: plain, width: 100}),
		"table-60.txt":  renderTable(view{palette: plain, width: 60}),
		"table-200.txt": renderTable(view{palette: plain, width: 200}),
		"verbose.txt":   renderTable(view{palette: plain, width: 100, verbose: true}),
		"check.txt":     renderCheck(plain),
		"report.json":   renderJSON,
		"report.md":     renderMarkdown,
		"junit.xml":     renderJUnit,
		"github.txt":    renderGitHub,
	}
}

func render(t *testing.T, f func(io.Writer, Report) error, r Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRenderersPrintAsExpected(t *testing.T) {
	for name, f := range renderers() {
		t.Run(name, func(t *testing.T) { expect(t, name, render(t, f, hostileReport())) })
	}
}

func TestNoRendererPrintsWhatIsHiddenOrSecret(t *testing.T) {
	for name, f := range renderers() {
		t.Run(name, func(t *testing.T) {
			out := render(t, f, hostileReport())
			if !utf8.ValidString(out) {
				t.Error("the output is not UTF-8")
			}
			for i, r := range out {
				if r != '\n' && hidden(r) {
					t.Errorf("raw %U in %q", r, out[max(0, i-30):i])
				}
			}
			for _, secret := range []string{"4f9d", "secret", "u:pw", "pw@"} {
				if strings.Contains(out, secret) {
					t.Errorf("the output has the secret %q", secret)
				}
			}
		})
	}
}

func TestRenderersPassOnAFailedWrite(t *testing.T) {
	for name, f := range renderers() {
		if err := f(failing{io.ErrClosedPipe}, hostileReport()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: error %v, want io.ErrClosedPipe", name, err)
		}
	}
}

func TestTablesFitTheWidth(t *testing.T) {
	t.Parallel()
	for _, r := range []Report{hostileReport(), goodReport()} {
		for width := 40; width <= 240; width += 4 {
			out := render(t, renderTable(view{palette: newPalette(false), width: width, verbose: true}), r)
			for line := range strings.Lines(out) {
				if n := displayWidth(strings.TrimSuffix(line, "\n")); n > width {
					t.Fatalf("at %d columns a line takes %d: %q", width, n, line)
				}
			}
		}
	}
}

func goodReport() Report {
	r := newReport()
	res := testResult()
	for _, g := range res.Groups {
		r.Groups = append(r.Groups, newGroup(g, expectation{file: "golden/linux/" + g.Group.ID + ".md"}, false))
	}
	r.Sound, r.Useful, r.ElapsedMS = res.Sound, res.Useful, res.ElapsedMS
	return r
}

func TestOnlyVerdictsAreColoured(t *testing.T) {
	r := goodReport()
	r.Groups[0].Rows[0].Cells["processed"] = "yes"
	out := render(t, renderTable(view{palette: newPalette(true), width: 100}), r)
	for line := range strings.Lines(out) {
		if strings.Contains(line, "no answer") && strings.Contains(line, "\x1b") {
			t.Errorf("a title is coloured: %q", line)
		}
	}
	if strings.Contains(out, "\x1b[32myes\x1b[0m, guaranteed") || !strings.Contains(out, "\x1b[31mno\x1b[0m") {
		t.Errorf("not the verdicts, and only they, are coloured:\n%q", out)
	}
}

func TestJSONIsTheContract(t *testing.T) {
	var r map[string]any
	if err := json.Unmarshal([]byte(render(t, renderJSON, goodReport())), &r); err != nil {
		t.Fatal(err)
	}
	group := r["groups"].([]any)[0].(map[string]any)
	row := group["rows"].([]any)[1].(map[string]any)
	for _, tt := range []struct {
		what   string
		object any
		keys   string
	}{
		{"report", r, "elapsed_ms env groups schema sound useful"},
		{"env", r["env"], "arch go kernel os version"},
		{"group", group, "drift elapsed_ms golden id rows title"},
		{"row", row, "attempts cells id ledger seen verdicts"},
		{"cells", row["cells"], "basis code get message phase post post_key processed saw syscall"},
		{"verdicts", row["verdicts"], "get post post_key"},
		{"verdict", row["verdicts"].(map[string]any)["get"], "reason verdict wait_ms"},
		{"attempt", row["attempts"].([]any)[0], "basis code ended_ms key message method n phase processed reused started_ms status syscall wait_ms"},
		{"delivery", row["ledger"].([]any)[0], "answered at_ms attempt body_bytes body_sha256 committed complete connection ended key method n path replay reused"},
		{"sound", r["sound"], "checked refuted_claims unsafe"},
		{"useful", r["useful"], "checked withheld"},
	} {
		if got := keysOf(tt.object); got != tt.keys {
			t.Errorf("%s has the keys\n%s, want\n%s", tt.what, got, tt.keys)
		}
	}
}

func TestAVerdictNamesWhatToChangeWhereItAsksForThat(t *testing.T) {
	r := goodReport()
	r.Groups[0].Rows[0].Verdicts.Post.Modify = classifier.ModifyConnection
	out := render(t, renderJSON, r)
	if n := strings.Count(out, `"modify": "other-connection"`); n != 1 || strings.Count(out, `"modify"`) != 1 {
		t.Errorf("modify is there %d times, want once:\n%s", n, out)
	}
}

func keysOf(object any) string {
	var keys []string
	for k := range object.(map[string]any) {
		keys = append(keys, k)
	}
	return strings.Join(sorted(keys), " ")
}

func TestJSONHasEmptyListsAndNoNull(t *testing.T) {
	bare := newReport()
	good := goodReport()
	for _, r := range []Report{bare, good, hostileReport()} {
		if out := render(t, renderJSON, r); strings.Contains(out, "null") {
			t.Errorf("null in\n%s", out)
		}
	}
	if out := render(t, renderJSON, good); !strings.Contains(out, `"ledger": []`) || !strings.Contains(out, `"drift": []`) {
		t.Errorf("an empty list is missing:\n%s", out)
	}
}

// junitFile is what a reader of the format sees.
type junitFile struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Failures int    `xml:"failures,attr"`
		Cases    []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func TestJUnitCountsAFailingRow(t *testing.T) {
	good := goodReport()
	drifted := goodReport()
	drifted.Groups[0].Golden = goldenDrift
	drifted.Groups[0].Drift = []golden.Drift{{Row: "network/reset", Column: "phase", Want: "await", Got: "write"}, {Row: "network/reset", Column: "saw"}}
	broken := newReport()
	broken.Broken = "no loopback"
	skipped := goodReport()
	skipped.Groups[1].Rows[0].Skipped = "no"
	for _, tt := range []struct {
		sentence                         string
		r                                Report
		tests, failures, errors, skipped int
	}{
		{"all agree", good, 3, 0, 0, 0},
		{"two cells of one row differ", drifted, 3, 1, 0, 0},
		{"the lab is broken", broken, 1, 0, 1, 0},
		{"a row is skipped", skipped, 3, 0, 0, 1},
		{"everything at once", hostileReport(), 7, 3, 2, 2},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			var f junitFile
			if err := xml.Unmarshal([]byte(render(t, renderJUnit, tt.r)), &f); err != nil {
				t.Fatal(err)
			}
			if f.Tests != tt.tests || f.Failures != tt.failures || f.Errors != tt.errors || f.Skipped != tt.skipped {
				t.Errorf("tests=%d failures=%d errors=%d skipped=%d, want %d %d %d %d",
					f.Tests, f.Failures, f.Errors, f.Skipped, tt.tests, tt.failures, tt.errors, tt.skipped)
			}
			failures := 0
			for _, s := range f.Suites {
				for _, c := range s.Cases {
					if c.Failure != nil {
						failures++
					}
				}
			}
			if failures != tt.failures {
				t.Errorf("%d test cases have a failure, want %d", failures, tt.failures)
			}
		})
	}
}

func TestGitHubCommandsCannotBeForged(t *testing.T) {
	r := hostileReport()
	out := render(t, renderGitHub, r)
	commands := 0
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "::") {
			commands++
		}
	}
	// Two drifts of one row and one of another, one unsound verdict, a skipped row
	// and a missing table that --require-all does not allow, one refuted claim.
	if commands != 7 {
		t.Errorf("%d lines begin with ::, want 7:\n%s", commands, out)
	}
	if want := "file=golden/linux/a%2Cb%3Ac.md,line=12,title=drift in network/reset::"; !strings.Contains(out, want) {
		t.Errorf("%q is missing in\n%s", want, out)
	}
	if strings.Contains(out, " %0A") || !strings.Contains(out, "%250A") {
		t.Errorf("a percent sign is not escaped:\n%s", out)
	}
}

func TestMarkdownTableKeepsItsShape(t *testing.T) {
	out := render(t, renderMarkdown, hostileReport())
	for i, line := range strings.Split(out, "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") - 1
		if cells != 11 && cells != 2 {
			t.Errorf("line %d has %d cells: %s", i+1, cells, line)
		}
	}
	for _, raw := range []string{" <script", " [l]", " `code`", " *b*"} {
		if strings.Contains(out, raw) {
			t.Errorf("%q is not escaped in\n%s", raw, out)
		}
	}
}

func TestVerdictOfTheRunCountsInWords(t *testing.T) {
	if got := plural(1, "row") + " " + plural(2, "row") + " " + differ(1) + " " + differ(12); got != "1 row 2 rows 1 cell differs 12 cells differ" {
		t.Error(strconv.Quote(got))
	}
}

func TestARefutedClaimIsNoUnsoundVerdict(t *testing.T) {
	for _, tt := range []struct {
		sentence        string
		unsafe, refuted int
		want            string
	}{
		{"neither", 0, 0, "yes: 3 attempts caused work on a server; no verdict lets a bare POST repeat it\n"},
		{"a refuted claim", 0, 1, "yes: 3 attempts caused work on a server; no verdict lets a bare POST repeat it, but for 1 refuted claim\n"},
		{"an unsound verdict", 1, 0, "no: 3 attempts caused work on a server; for 1 of them the verdict lets a bare POST repeat it\n"},
		{"both", 1, 2, "no: 3 attempts caused work on a server; for 1 of them the verdict lets a bare POST repeat it; 2 refuted claims besides\n"},
	} {
		r := goodReport()
		for range tt.unsafe {
			r.Sound.Unsafe = append(r.Sound.Unsafe, breach("guaranteed")...)
		}
		for range tt.refuted {
			r.Sound.RefutedClaims = append(r.Sound.RefutedClaims, breach("claimed")...)
		}
		if out := render(t, renderTable(view{palette: newPalette(false), width: 200}), r); !strings.Contains(out, "sound    "+tt.want) {
			t.Errorf("%s: %q is missing in\n%s", tt.sentence, tt.want, out)
		}
	}
}

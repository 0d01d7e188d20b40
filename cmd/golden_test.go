package cmd

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/scenarios"
)

// read returns a golden table of the test's folder.
func read(t *testing.T, dir, group string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "linux", group+".md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestUpdateShowsTheDiffItWrites(t *testing.T) {
	l, dir := testLab(t, testResult())
	record(t, l, dir)
	before := read(t, dir, "network")
	res := spoil(func(r *scenarios.Result) { setCell(&r.Groups[0].Rows[1], "syscall", "write") })
	l.run = func(_ context.Context, _ scenarios.Runner, sel []scenarios.Selection) (scenarios.Result, error) {
		return selected(res, sel), nil
	}
	diff := invoke(t, l, "", "golden", "diff", "--golden", dir)
	if diff.code != exitDiffers || !strings.Contains(diff.stdout, "\n-| network/reset ") || !strings.Contains(diff.stdout, "\n+| network/reset ") {
		t.Errorf("golden diff: exit %d\n%s", diff.code, diff.stdout)
	}
	if read(t, dir, "network") != before {
		t.Error("golden diff changed the table")
	}
	got := invoke(t, l, "", "golden", "update", "--golden", dir)
	file := filepath.ToSlash(filepath.Join(dir, "linux", "network.md"))
	if got.code != exitOK || got.stdout != diff.stdout || got.stderr != "retry-lab: wrote "+file+"\n" {
		t.Errorf("golden update: exit %d, stderr %q, stdout\n%s\nwant that of diff:\n%s", got.code, got.stderr, got.stdout, diff.stdout)
	}
	if after := read(t, dir, "network"); after == before || !strings.Contains(after, "| write ") {
		t.Errorf("the table was not written:\n%s", after)
	}
	if again := invoke(t, l, "", "golden", "update", "--golden", dir); again.stdout != "" || again.stderr != "retry-lab: every golden table stays as it is\n" {
		t.Errorf("a second update: %+v", again)
	}
	if again := invoke(t, l, "", "golden", "diff", "--golden", dir); again != (outcome{}) {
		t.Errorf("a second diff: %+v", again)
	}
}

func TestUpdateMakesTheFolderWithItsFirstRecord(t *testing.T) {
	l, dir := testLab(t, testResult())
	fresh := filepath.Join(dir, "a", "b")
	record(t, l, fresh)
	if got := invoke(t, l, "", "check", "--golden", fresh); got.code != exitOK {
		t.Errorf("check: %+v", got)
	}
}

func TestUpdateRecordsTheUnionOfItsRuns(t *testing.T) {
	l, dir := testLab(t, testResult())
	run := 0
	l.run = func(_ context.Context, _ scenarios.Runner, sel []scenarios.Selection) (scenarios.Result, error) {
		run++
		return selected(spoil(func(r *scenarios.Result) {
			setCell(&r.Groups[0].Rows[1], "code", []string{"EPIPE", "ECONNRESET"}[run%2])
			setCell(&r.Groups[1].Rows[0], "charges", []string{"7", "2", "5"}[run%3])
		}), sel), nil
	}
	if got := invoke(t, l, "", "golden", "update", "--golden", dir, "--runs", "6"); got.code != exitOK || run != 6 {
		t.Fatalf("%d runs, %+v", run, got)
	}
	if table := read(t, dir, "network"); !strings.Contains(table, "ECONNRESET or EPIPE") {
		t.Errorf("alternatives are missing:\n%s", table)
	}
	if table := read(t, dir, "charge"); !strings.Contains(table, "2..7") {
		t.Errorf("the range is missing:\n%s", table)
	}
}

func TestABrokenTableStopsBeforeAnythingRunsOrIsWritten(t *testing.T) {
	for _, command := range []string{"all", "check", "run charge", "golden show", "golden diff", "golden update"} {
		t.Run(command, func(t *testing.T) {
			l, dir := testLab(t, testResult())
			record(t, l, dir)
			file := filepath.Join(dir, "linux", "charge.md")
			broken := strings.ReplaceAll(read(t, dir, "charge"), "charges", "chagres")
			if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
				t.Fatal(err)
			}
			l.run = func(context.Context, scenarios.Runner, []scenarios.Selection) (scenarios.Result, error) {
				t.Error("a case ran")
				return scenarios.Result{}, nil
			}
			got := invoke(t, l, "", append(strings.Fields(command), "--golden", dir)...)
			if got.code != exitBroken || got.stdout != "" {
				t.Errorf("exit %d, stdout %q; want 3 and none", got.code, got.stdout)
			}
			if !strings.HasPrefix(got.stderr, "retry-lab: "+file+":5: ") || !strings.Contains(got.stderr, "chagres") || strings.Count(got.stderr, "\n") != 1 {
				t.Errorf("stderr %q, want one line with file, line and word", got.stderr)
			}
			if read(t, dir, "charge") != broken {
				t.Error("the broken table was overwritten")
			}
		})
	}
}

func TestATableWithoutAGroupIsDriftInAWholeRun(t *testing.T) {
	l, dir := testLab(t, testResult())
	record(t, l, dir)
	old := strings.NewReplacer("# charge", "# refund", "charge/", "refund/", "charges", "refunds").Replace(read(t, dir, "charge"))
	if err := os.WriteFile(filepath.Join(dir, "linux", "refund.md"), []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	got := invoke(t, l, "", "check", "--golden", dir)
	file := filepath.Join(dir, "linux", "refund.md")
	if want := "drift " + file + ":7: refund/bare id: want (a golden row), got (no case)\n1 cell differs from the golden tables\n"; got.code != exitDiffers || got.stdout != want {
		t.Errorf("exit %d, stdout\n%s\nwant 1,\n%s", got.code, got.stdout, want)
	}
	for _, args := range []string{"check charge network", "check --strict", "run charge"} {
		if got := invoke(t, l, "", append(strings.Fields(args), "--golden", dir)...); got.code != exitOK {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if got := invoke(t, l, "", "all", "--golden", dir); got.code != exitDiffers {
		t.Errorf("all: exit %d", got.code)
	}
}

func TestAGoldenRowWithoutACaseIsDriftInAWholeGroup(t *testing.T) {
	l, dir := testLab(t, testResult())
	record(t, l, dir)
	table := read(t, dir, "network")
	lines := strings.SplitAfter(table, "\n")
	table += strings.Replace(lines[len(lines)-2], "network/reset", "network/wired", 1)
	if err := os.WriteFile(filepath.Join(dir, "linux", "network.md"), []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args string
		code int
	}{
		{"all", exitDiffers}, {"check", exitDiffers}, {"check network", exitDiffers}, {"check network/*", exitDiffers},
		{"check network/reset", exitOK}, {"check charge", exitOK},
	} {
		if got := invoke(t, l, "", strings.Fields(tt.args)...); got.code != tt.code || strings.Contains(got.stdout, "network/wired id") != (tt.code != exitOK) {
			t.Errorf("%s: %+v, want exit %d", tt.args, got, tt.code)
		}
	}
}

func TestUpdateRefusesAnUnsoundRun(t *testing.T) {
	l, dir := testLab(t, spoil(func(r *scenarios.Result) { r.Sound.Unsafe = breach("guaranteed") }))
	got := invoke(t, l, "", "golden", "update", "--golden", dir)
	if got.code != exitDiffers || got.stderr != "retry-lab: 1 unsound verdict, nothing was recorded (see 'retry-lab check')\n" {
		t.Errorf("%+v", got)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("something was written: %v, %v", entries, err)
	}
}

func TestUpdateWithoutAFolderWantsThisModule(t *testing.T) {
	l, _ := testLab(t, testResult())
	for _, tt := range []struct {
		mod  string
		code int
	}{
		{"module example.org/other\n", exitUsage},
		{"module github.com/retry-lab/retry-lab/v2\n", exitUsage},
		{"// a comment\nmodule github.com/retry-lab/retry-lab\n\ngo 1.26\n", exitOK},
	} {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("go.mod", []byte(tt.mod), 0o644); err != nil {
			t.Fatal(err)
		}
		got := invoke(t, l, "", "golden", "update")
		if _, err := os.Stat("golden/linux/charge.md"); got.code != tt.code || (err == nil) != (tt.code == exitOK) {
			t.Errorf("in %q: exit %d, stderr %q, table: %v", tt.mod, got.code, got.stderr, err)
		}
	}
}

func TestShowPrintsTheTablesAsked(t *testing.T) {
	l, dir := testLab(t, testResult())
	record(t, l, dir)
	for _, tt := range []struct {
		args string
		has  []string
		not  []string
	}{
		{"golden show", []string{"network: no answer at all", "ECONNREFUSED", "charge: a charge"}, nil},
		{"golden show network/reset", []string{"ECONNRESET"}, []string{"ECONNREFUSED", "charge"}},
		{"golden show charge -o json", []string{`"schema": 1`, `"charges": "2"`, `"line": 7`}, []string{"network"}},
	} {
		got := invoke(t, l, "", strings.Fields(tt.args)...)
		if got.code != exitOK || got.stderr != "" {
			t.Errorf("%s: %+v", tt.args, got)
		}
		for _, s := range tt.has {
			if !strings.Contains(got.stdout, s) {
				t.Errorf("%s: %q is missing in\n%s", tt.args, s, got.stdout)
			}
		}
		for _, s := range tt.not {
			if strings.Contains(got.stdout, s) {
				t.Errorf("%s: %q is in\n%s", tt.args, s, got.stdout)
			}
		}
	}
	if got := invoke(t, l, "", "golden", "show", "-o", "markdown"); got.stdout != read(t, dir, "network")+"\n"+read(t, dir, "charge")+"\n" {
		t.Errorf("as markdown they are not the files:\n%s", got.stdout)
	}
}

func TestEveryCellOfTheLabIsInItsVocabulary(t *testing.T) {
	vocab := vocabulary(scenarios.Groups())
	for _, g := range scenarios.Groups() {
		for _, c := range g.Columns {
			if _, ok := vocab[c.Name]; !ok {
				t.Errorf("group %s: no rule for column %s", g.ID, c.Name)
			}
		}
	}
}

package golden_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
)

func TestCompareFindsWhatDiffersAndNothingElse(t *testing.T) {
	with := func(change func(*golden.Run)) golden.Run {
		run := networkRun()
		change(&run)
		return run
	}
	for _, tt := range []struct {
		why  string
		run  golden.Run
		want []string // Drift.String
	}{
		{"a run as recorded", networkRun(), nil},
		{"another value", with(func(r *golden.Run) { r.Rows[0].Cells["syscall"] = []string{"read"} }),
			[]string{"network.md:7: network/refused syscall: want connect, got read"}},
		{"a second value", with(func(r *golden.Run) { r.Rows[0].Cells["syscall"] = []string{"read", "connect"} }),
			[]string{"network.md:7: network/refused syscall: want connect, got connect or read"}},
		{"a value beside the alternatives", with(func(r *golden.Run) { r.Rows[1].Cells["code"] = []string{"EOF"} }),
			[]string{"network.md:8: network/unread code: want ECONNRESET or EPIPE, got EOF"}},
		{"integers beyond the range", with(func(r *golden.Run) { r.Rows[1].Cells["requests"] = []string{"9", "22", "20"} }),
			[]string{"network.md:8: network/unread requests: want 15..21, got 9..22"}},
		{"a value where none was", with(func(r *golden.Run) { r.Rows[2].Cells["syscall"] = []string{"read"} }),
			[]string{"network.md:9: network/slow syscall: want -, got read"}},
		{"a column that was not filled in", with(func(r *golden.Run) { delete(r.Rows[0].Cells, "code") }),
			[]string{"network.md:7: network/refused code: want ECONNREFUSED, got -"}},
		{"a value that reads like the empty one", with(func(r *golden.Run) { r.Rows[2].Cells["syscall"] = []string{"-"} }),
			[]string{`network.md:9: network/slow syscall: want -, got \-`}},
		{"an escape sequence", with(func(r *golden.Run) { r.Rows[0].Cells["message"] = []string{"\x1b[2J\n"} }),
			[]string{`network.md:7: network/refused message: want dial tcp 127.0.0.1:PORT: connect: connection refused, got \u{1b}[2J\u{a}`}},
		{"two cells of two rows, in the run's order", with(func(r *golden.Run) {
			r.Rows[0].Cells["code"], r.Rows[1].Cells["code"] = []string{"EOF"}, []string{"EOF"}
			slices.Reverse(r.Rows)
		}), []string{"network.md:8: network/unread code: want ECONNRESET or EPIPE, got EOF", "network.md:7: network/refused code: want ECONNREFUSED, got EOF"}},
		{"a row that was skipped", with(func(r *golden.Run) { r.Rows[0] = golden.Observed{ID: "network/refused", Skipped: true} }), nil},
		{"a row that was not seen", with(func(r *golden.Run) { r.Rows[0] = golden.Observed{ID: "network/refused", NotSeen: true} }), nil},
		{"a row that was skipped, and has no golden row", with(func(r *golden.Run) { r.Rows = append(r.Rows, golden.Observed{ID: "network/new", Skipped: true}) }), nil},
		{"a row that was not seen, and has no golden row", with(func(r *golden.Run) { r.Rows = append(r.Rows, golden.Observed{ID: "network/new", NotSeen: true}) }), nil},
		{"a case without a golden row", with(func(r *golden.Run) { r.Rows = append(r.Rows, golden.Observed{ID: "network/new"}) }),
			[]string{"network.md:5: network/new id: want (no golden row), got (a case)"}},
		{"a golden row that was not selected", with(func(r *golden.Run) { r.Rows, r.Complete = r.Rows[:2], false }), nil},
		{"a golden row without a case", with(func(r *golden.Run) { r.Rows = r.Rows[:2] }),
			[]string{"network.md:9: network/slow id: want (a golden row), got (no case)"}},
		{"a column that the table lacks", with(func(r *golden.Run) { r.Columns = append(r.Columns, "saw") }),
			[]string{"network.md:5: network saw: want (no such column), got (a column)"}},
		{"a column that the group lacks", with(func(r *golden.Run) { r.Columns = []string{"message", "syscall", "code"} }),
			[]string{"network.md:5: network requests: want (a column), got (no such column)"}},
		{"columns in another order", with(func(r *golden.Run) { slices.Reverse(r.Columns) }), nil},
		{"the values of a case in two parts", with(func(r *golden.Run) {
			r.Rows = append(r.Rows, golden.Observed{ID: "network/refused", Cells: map[string][]string{"code": {"EOF"}}})
		}), []string{"network.md:7: network/refused code: want ECONNREFUSED, got ECONNREFUSED or EOF"}},
	} {
		var got []string
		for _, d := range golden.Compare(networkTable(), tt.run) {
			got = append(got, d.String())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: Compare gives\n%q\nwant\n%q", tt.why, got, tt.want)
		}
	}
}

func TestComparingChangesNeitherTableNorRun(t *testing.T) {
	table, run := networkTable(), networkRun()
	run.Rows[1].Cells["requests"] = []string{"30", "9"}
	run.Rows = append(run.Rows, run.Rows[1])
	golden.Compare(table, run)
	if !reflect.DeepEqual(table, networkTable()) {
		t.Errorf("the table is now %+v", table)
	}
	if got := run.Rows[1].Cells["requests"]; !slices.Equal(got, []string{"30", "9"}) {
		t.Errorf("the run's values are now %q", got)
	}
}

func TestADriftKeepsItsJSONForm(t *testing.T) {
	got, err := json.Marshal(golden.Drift{Row: "network/refused", Column: "syscall", Want: "connect", Got: "read", File: "golden/linux/network.md", Line: 12})
	want := `{"row":"network/refused","column":"syscall","want":"connect","got":"read","file":"golden/linux/network.md","line":12}`
	if err != nil || string(got) != want {
		t.Errorf("Marshal = %s, %v, want %s", got, err, want)
	}
}

func TestADriftOfATableThatWasNotReadHasNoPlace(t *testing.T) {
	d := golden.Drift{Row: "g/a", Column: "code", Want: "EOF", Got: "EPIPE"}
	if got, want := d.String(), "g/a code: want EOF, got EPIPE"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

package golden_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
	"pgregory.net/rapid"
)

// rowsOf returns the lines of the rows of a table, without padding.
func rowsOf(t testing.TB, table golden.Table) []string {
	t.Helper()
	var rows []string
	for line := range strings.Lines(write(t, table)) {
		if strings.HasPrefix(line, "| "+table.Group+"/") {
			rows = append(rows, strings.Join(strings.Fields(line), " "))
		}
	}
	return rows
}

const (
	rowRefused = "| network/refused | ECONNREFUSED | connect | 0 | dial tcp 127.0.0.1:PORT: connect: connection refused |"
	rowUnread  = "| network/unread | ECONNRESET or EPIPE | read or write | 15..21 | * |"
	rowSlow    = `| network/slow | TIMEOUT | - | 2 | a \| b |`
)

func TestUpdateRecordsWhatDisagreesAndKeepsTheRest(t *testing.T) {
	with := func(change func(*golden.Run)) golden.Run {
		run := networkRun()
		change(&run)
		return run
	}
	newCase := golden.Observed{ID: "network/new", Cells: map[string][]string{"code": {"EPIPE", "ECONNRESET", "EPIPE"}, "requests": {"10", "9"}}}
	const rowNew = "| network/new | ECONNRESET or EPIPE | - | 9..10 | - |"
	for _, tt := range []struct {
		why  string
		run  golden.Run
		want []string
	}{
		{"nothing differs: sets and ranges stay wider than what was seen", networkRun(), nil},
		{"a cell differs: the row's other sets stay as wide", with(func(r *golden.Run) { r.Rows[1].Cells["syscall"] = []string{"connect"} }),
			[]string{rowRefused, "| network/unread | ECONNRESET or EPIPE | connect | 15..21 | * |", rowSlow}},
		{"several values become alternatives, sorted", with(func(r *golden.Run) { r.Rows[0].Cells["syscall"] = []string{"write", "connect", "", "read"} }),
			[]string{strings.Replace(rowRefused, "connect |", "- or connect or read or write |", 1), rowUnread, rowSlow}},
		{"several integers become a range, by size", with(func(r *golden.Run) { r.Rows[1].Cells["requests"] = []string{"9", "10", "100"} }),
			[]string{rowRefused, strings.Replace(rowUnread, "15..21", "9..100", 1), rowSlow}},
		{"one integer stays one", with(func(r *golden.Run) { r.Rows[1].Cells["requests"] = []string{"9"} }),
			[]string{rowRefused, strings.Replace(rowUnread, "15..21", "9", 1), rowSlow}},
		{"what is no integer is no end of a range", with(func(r *golden.Run) { r.Rows[1].Cells["requests"] = []string{"9", "none", "10"} }),
			[]string{rowRefused, strings.Replace(rowUnread, "15..21", "10 or 9 or none", 1), rowSlow}},
		{"integers of a column that is not numeric are alternatives", with(func(r *golden.Run) { r.Rows[0].Cells["message"] = []string{"2", "1"} }),
			[]string{"| network/refused | ECONNREFUSED | connect | 0 | 1 or 2 |", rowUnread, rowSlow}},
		{"a new case goes behind the one it follows", with(func(r *golden.Run) { r.Rows = slices.Insert(r.Rows, 1, newCase) }),
			[]string{rowRefused, rowNew, rowUnread, rowSlow}},
		{"a new case goes first in a complete run", with(func(r *golden.Run) { r.Rows = slices.Insert(r.Rows, 0, newCase) }),
			[]string{rowNew, rowRefused, rowUnread, rowSlow}},
		{"a new case alone goes last", with(func(r *golden.Run) { r.Rows, r.Complete = []golden.Observed{newCase}, false }),
			[]string{rowRefused, rowUnread, rowSlow, rowNew}},
		{"a new case that was skipped has no row", with(func(r *golden.Run) { r.Rows = append(r.Rows, golden.Observed{ID: "network/new", Skipped: true}) }), nil},
		{"a new case that was not seen has no row", with(func(r *golden.Run) { r.Rows = append(r.Rows, golden.Observed{ID: "network/new", NotSeen: true}) }), nil},
		{"a row that was skipped is kept", with(func(r *golden.Run) { r.Rows[0] = golden.Observed{ID: "network/refused", Skipped: true} }), nil},
		{"a row that was not seen is kept", with(func(r *golden.Run) { r.Rows[0] = golden.Observed{ID: "network/refused", NotSeen: true} }), nil},
		{"a row that was not selected is kept", with(func(r *golden.Run) { r.Rows, r.Complete = r.Rows[1:], false }), nil},
		{"a row without a case goes in a complete run", with(func(r *golden.Run) { r.Rows = r.Rows[1:] }), []string{rowUnread, rowSlow}},
		{"the lab's own order does not move rows", with(func(r *golden.Run) { slices.Reverse(r.Rows) }), nil},
		{"a column that goes, goes everywhere", with(func(r *golden.Run) { r.Columns = []string{"code", "syscall", "requests"} }),
			[]string{"| network/refused | ECONNREFUSED | connect | 0 |", "| network/unread | ECONNRESET or EPIPE | read or write | 15..21 |", "| network/slow | TIMEOUT | - | 2 |"}},
		{"a column that goes, goes from rows that were not run", with(func(r *golden.Run) { r.Columns, r.Rows, r.Complete = []string{"syscall", "code"}, r.Rows[1:], false }),
			[]string{"| network/refused | connect | ECONNREFUSED |", "| network/unread | read or write | ECONNRESET or EPIPE |", "| network/slow | - | TIMEOUT |"}},
		{"a new column is recorded for every row", with(func(r *golden.Run) { r.Columns = []string{"code", "saw"} }),
			[]string{"| network/refused | ECONNREFUSED | - |", "| network/unread | ECONNRESET or EPIPE | - |", "| network/slow | TIMEOUT | - |"}},
		{"another title is written", with(func(r *golden.Run) { r.Title = "what it is about now" }), []string{rowRefused, rowUnread, rowSlow}},
	} {
		old := networkTable()
		got, changed, err := golden.Update(&old, tt.run)
		if err != nil {
			t.Errorf("%s: Update: %v", tt.why, err)
			continue
		}
		want := tt.want
		if want == nil {
			want = []string{rowRefused, rowUnread, rowSlow}
		}
		if changed != (tt.want != nil) || !slices.Equal(rowsOf(t, got), want) {
			t.Errorf("%s: Update gives changed %v and\n%s\nwant %v and\n%s", tt.why, changed, strings.Join(rowsOf(t, got), "\n"), tt.want != nil, strings.Join(want, "\n"))
		}
		if !reflect.DeepEqual(old, networkTable()) {
			t.Errorf("%s: the old table was changed", tt.why)
		}
	}
}

func TestANewColumnNeedsARunOfEveryRow(t *testing.T) {
	for _, tt := range []struct {
		why    string
		change func(*golden.Run)
	}{
		{"not selected", func(r *golden.Run) { r.Rows, r.Complete = r.Rows[1:], false }},
		{"skipped", func(r *golden.Run) { r.Rows[0] = golden.Observed{ID: "network/refused", Skipped: true} }},
		{"not seen", func(r *golden.Run) { r.Rows[0] = golden.Observed{ID: "network/refused", NotSeen: true} }},
	} {
		old, run := networkTable(), networkRun()
		run.Columns = append(run.Columns, "saw")
		tt.change(&run)
		_, changed, err := golden.Update(&old, run)
		want := "cannot update golden table network: column saw is new, and row network/refused was not run: it needs a run of every row"
		if changed || err == nil || err.Error() != want {
			t.Errorf("%s: Update = %v, %v, want %q", tt.why, changed, err, want)
		}
	}
}

func TestTheFirstRecordingIsTheRun(t *testing.T) {
	run := networkRun()
	run.Rows[2].Skipped = true
	got, changed, err := golden.Update(nil, run)
	want := []string{rowRefused, "| network/unread | EPIPE | read or write | 20..21 | read: connection reset by peer \\or write: broken pipe |"}
	want[1] = strings.Replace(want[1], `\or`, "or", 1)
	if err != nil || !changed || !slices.Equal(rowsOf(t, got), want) {
		t.Errorf("Update = %v, %v:\n%s", changed, err, strings.Join(rowsOf(t, got), "\n"))
	}
	if got.Title != run.Title || got.Source != run.Source {
		t.Errorf("Update gives title %q and source %q", got.Title, got.Source)
	}
}

func TestARunWithoutAnyRowRecordsNothing(t *testing.T) {
	run := networkRun()
	for i := range run.Rows {
		run.Rows[i].Skipped = true
	}
	if got, changed, err := golden.Update(nil, run); err != nil || changed {
		t.Errorf("Update = %+v, %v, %v, want no change", got, changed, err)
	}
}

func TestAfterAnUpdateTheSameRunAgreesAndChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := anyRun().Draw(t, "run")
		var old *golden.Table
		if rapid.Bool().Draw(t, "has a table") {
			table, _, err := golden.Update(nil, anyRun().Draw(t, "earlier run"))
			if err != nil {
				t.Fatalf("first Update: %v", err)
			}
			old = &table
		}
		updated, changed, err := golden.Update(old, run)
		if err != nil {
			t.Fatalf("Update: %v", err)
		}
		if drifts := golden.Compare(updated, run); drifts != nil {
			t.Fatalf("after Update: %v", drifts)
		}
		if old != nil && changed == (golden.Compare(*old, run) == nil) {
			t.Fatalf("changed is %v, the drifts before were %v", changed, golden.Compare(*old, run))
		}
		if again, changed, err := golden.Update(&updated, run); err != nil || changed || !sameTable(again, updated) {
			t.Fatalf("a second Update = %v, %v", changed, err)
		}
	})
}

// anyRun draws a run of some rows of a group of five, whose columns are fixed.
func anyRun() *rapid.Generator[golden.Run] {
	value := rapid.SampledFrom([]string{"", "-", "*", "1", "2", "10", "1..2", "a", "a or b"})
	return rapid.Custom(func(t *rapid.T) golden.Run {
		run := golden.Run{Group: "g", Columns: []string{"a", "n"}, Numeric: []string{"n"}, Complete: rapid.Bool().Draw(t, "complete")}
		for _, id := range []string{"g/1", "g/2", "g/3", "g/4", "g/5"} {
			o := golden.Observed{ID: id}
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				continue
			case 1:
				o.Skipped = true
			case 2:
				o.NotSeen = true
			default:
				o.Cells = map[string][]string{"a": rapid.SliceOfN(value, 0, 3).Draw(t, "a"), "n": rapid.SliceOfN(value, 0, 3).Draw(t, "n")}
			}
			run.Rows = append(run.Rows, o)
		}
		return run
	})
}

func TestTheUnionOfRunsHoldsEveryValueOnce(t *testing.T) {
	seen := func(id string, codes ...string) golden.Observed {
		return golden.Observed{ID: id, Cells: map[string][]string{"code": codes}}
	}
	skipped := golden.Observed{ID: "g/a", Skipped: true}
	notSeen := golden.Observed{ID: "g/a", NotSeen: true}
	for _, tt := range []struct {
		why  string
		runs [][]golden.Observed
		want []golden.Observed
	}{
		{"no run", nil, nil},
		{"distinct values, in the order seen", [][]golden.Observed{{seen("g/a", "x")}, {seen("g/a", "y", "x")}}, []golden.Observed{seen("g/a", "x", "y")}},
		{"cases in the order of their first run", [][]golden.Observed{{seen("g/b", "x")}, {seen("g/a", "x"), seen("g/b", "x")}}, []golden.Observed{seen("g/b", "x"), seen("g/a", "x")}},
		{"skipped each time", [][]golden.Observed{{skipped}, {skipped}}, []golden.Observed{skipped}},
		{"not seen each time", [][]golden.Observed{{notSeen}, {notSeen}}, []golden.Observed{notSeen}},
		{"skipped once, not seen once", [][]golden.Observed{{skipped}, {notSeen}}, []golden.Observed{notSeen}},
		{"not seen, then seen", [][]golden.Observed{{notSeen}, {seen("g/a", "x")}}, []golden.Observed{seen("g/a", "x")}},
		{"seen, then not seen", [][]golden.Observed{{seen("g/a", "x")}, {notSeen}, {skipped}}, []golden.Observed{seen("g/a", "x")}},
	} {
		if got := golden.Union(tt.runs...); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: Union = %+v, want %+v", tt.why, got, tt.want)
		}
	}
}

package golden_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
	"pgregory.net/rapid"
)

func TestATableIsWrittenInColumns(t *testing.T) {
	if got := write(t, networkTable()); got != network {
		t.Errorf("Write:\n%s\nwant\n%s", got, network)
	}
}

func TestATableWithoutTitleSourceOrRowsIsStillOne(t *testing.T) {
	text := write(t, golden.Table{Group: "g"})
	want := "# g\n\nGolden table of retry-lab, recorded from real runs by `retry-lab golden update`.\n\n| id |\n| --- |\n"
	if text != want {
		t.Errorf("Write:\n%s\nwant\n%s", text, want)
	}
	if back := parse(t, text); !sameTable(back, golden.Table{Group: "g"}) {
		t.Errorf("it comes back as %+v", back)
	}
}

func TestALongerValueChangesNoOtherLine(t *testing.T) {
	for column := range networkTable().Columns {
		text := func(length int) []string {
			table := networkTable()
			table.Rows[1].Cells[column] = golden.Values(strings.Repeat("x", length))
			return strings.Split(write(t, table), "\n")
		}
		before, after := text(60), text(200)
		for i := range before {
			if onlyRow := i == 7; (before[i] == after[i]) == onlyRow {
				t.Errorf("column %d grew in line 8: line %d was\n%s\nand is\n%s", column, i+1, before[i], after[i])
			}
		}
	}
}

func TestATableThatCannotBeReadBackIsNotWritten(t *testing.T) {
	row := func(id string, cells ...golden.Cell) golden.Row { return golden.Row{ID: id, Cells: cells} }
	many := make([]golden.Row, golden.MaxRows+1)
	wide := make([]string, golden.MaxColumns)
	for i := range many {
		many[i] = row(fmt.Sprintf("g/%d", i))
	}
	for i := range wide {
		wide[i] = fmt.Sprintf("c%d", i)
	}
	var large []golden.Row
	for i := range 100 {
		large = append(large, row(fmt.Sprintf("g/%d", i), golden.Values(strings.Repeat("x", 15<<10))))
	}
	for _, tt := range []struct {
		why   string
		table golden.Table
		want  string
	}{
		{"no group", golden.Table{}, "a group is named"},
		{"a group that leaves the folder", golden.Table{Group: "../g"}, "a group is named"},
		{"a column in capitals", golden.Table{Group: "g", Columns: []string{"C"}}, `column "C"`},
		{"a column twice", golden.Table{Group: "g", Columns: []string{"c", "c"}}, "column c is there twice"},
		{"a column named id", golden.Table{Group: "g", Columns: []string{"id"}}, "column id is there twice"},
		{"too many columns", golden.Table{Group: "g", Columns: wide}, "65 columns: at most 64"},
		{"too many rows", golden.Table{Group: "g", Rows: many}, "10001 rows: at most 10000"},
		{"an id twice", golden.Table{Group: "g", Rows: []golden.Row{row("g/a"), row("g/a")}}, "row g/a is there twice"},
		{"an id of another group", golden.Table{Group: "g", Rows: []golden.Row{row("h/a")}}, `id "h/a"`},
		{"an id with a pipe", golden.Table{Group: "g", Rows: []golden.Row{row("g/a|b")}}, `id "g/a|b"`},
		{"a cell too few", golden.Table{Group: "g", Columns: []string{"c"}, Rows: []golden.Row{row("g/a")}}, "row g/a has 0 cells for 1 columns"},
		{"a cell too many", golden.Table{Group: "g", Rows: []golden.Row{row("g/a", golden.Any())}}, "row g/a has 1 cells for 0 columns"},
		{"a line too long", golden.Table{Group: "g", Columns: []string{"c"}, Rows: []golden.Row{row("g/a", golden.Values(strings.Repeat("x", golden.MaxLine)))}}, `row "g/a" takes`},
		{"a title too long", golden.Table{Group: "g", Title: strings.Repeat("x", golden.MaxLine)}, "title or source takes"},
		{"too large", golden.Table{Group: "g", Columns: []string{"c"}, Rows: large}, "at most 1048576"},
	} {
		var b strings.Builder
		err := golden.Write(&b, tt.table)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Write = %v, want it to say %q", tt.why, err, tt.want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: %d bytes were written", tt.why, b.Len())
		}
	}
}

func TestWriteReturnsTheErrorOfItsWriter(t *testing.T) {
	r, w := io.Pipe()
	cause := errors.New("gone")
	r.CloseWithError(cause)
	if err := golden.Write(w, networkTable()); !errors.Is(err, cause) {
		t.Errorf("Write = %v, want %v", err, cause)
	}
}

func TestWhatIsWrittenIsReadAsTheSameTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := anyTable().Draw(t, "table")
		var b strings.Builder
		if err := golden.Write(&b, table); err != nil {
			t.Fatalf("Write: %v", err)
		}
		back, err := golden.Parse("f.md", strings.NewReader(b.String()), nil)
		if err != nil {
			t.Fatalf("Parse: %v\n%s", err, b.String())
		}
		if !sameTable(table, back) {
			t.Fatalf("it comes back as another table:\n%s\n%+v\n%+v", b.String(), table, back)
		}
	})
}

// anyText leans towards what the notation has to escape.
func anyText() *rapid.Generator[string] {
	pieces := rapid.SampledFrom([]string{" ", "  ", "or", " or ", "-", "*", "..", "1", "-2", "1..2", `\`, "|", "<br>", "<", "\n", "\r", "\t", "`",
		"\x1b", "\xff", "\xef", "\u202e", "\u00a0", "\uFFFD", "é", "日", "a", "ECONNRESET", `\or`, `\u{1b}`, "#", ":", "Source: "})
	return rapid.OneOf(
		rapid.Map(rapid.SliceOfN(pieces, 0, 6), func(p []string) string { return strings.Join(p, "") }),
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
}

func anyCell() *rapid.Generator[golden.Cell] {
	return rapid.OneOf(
		rapid.Map(rapid.SliceOfN(anyText(), 0, 4), func(v []string) golden.Cell { return golden.Values(v...) }),
		rapid.Custom(func(t *rapid.T) golden.Cell {
			return golden.Range(rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b"))
		}),
		rapid.Just(golden.Any()),
	)
}

func anyTable() *rapid.Generator[golden.Table] {
	return rapid.Custom(func(t *rapid.T) golden.Table {
		table := golden.Table{
			Group:   rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,9}`).Draw(t, "group"),
			Title:   anyText().Draw(t, "title"),
			Source:  anyText().Draw(t, "source"),
			Columns: rapid.SliceOfNDistinct(rapid.StringMatching(`c[a-z0-9_]{0,9}`), 0, 5, rapid.ID).Draw(t, "columns"),
		}
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z0-9][a-z0-9._-]{0,9}`), 0, 5, rapid.ID).Draw(t, "cases") {
			row := golden.Row{ID: table.Group + "/" + name}
			for range table.Columns {
				row.Cells = append(row.Cells, anyCell().Draw(t, "cell"))
			}
			table.Rows = append(table.Rows, row)
		}
		return table
	})
}

package golden_test

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/retry-lab/retry-lab/golden"
)

func TestAFileSaysWhatItsTableSays(t *testing.T) {
	got := parse(t, network)
	if want := networkTable(); !reflect.DeepEqual(got, want) {
		t.Errorf("Parse:\n got %+v\nwant %+v", got, want)
	}
}

func TestWhatAnEditorChangesIsNotAnError(t *testing.T) {
	for _, tt := range []struct{ why, text string }{
		{"line ends of Windows", strings.ReplaceAll(network, "\n", "\r\n")},
		{"no newline at the end", strings.TrimSuffix(network, "\n")},
		{"blank lines at the end", network + "\n  \n"},
		{"another alignment", strings.Replace(network, "| -------- |", "| :-: |", 1)},
		{"no padding", strings.ReplaceAll(strings.ReplaceAll(network, "| 0        |", "|0|"), "  ", "")},
	} {
		if got := parse(t, tt.text); !sameTable(got, networkTable()) {
			t.Errorf("%s: the table is another one: %+v", tt.why, got)
		}
	}
}

func TestABrokenFileSaysWhereAndWhat(t *testing.T) {
	change := func(old, new string) string {
		if !strings.Contains(network, old) {
			panic("not in the file: " + old)
		}
		return strings.Replace(network, old, new, 1)
	}
	var manyColumns, manyRows strings.Builder
	for i := range golden.MaxColumns {
		fmt.Fprintf(&manyColumns, "c%d | ", i)
	}
	for i := range golden.MaxRows - 2 {
		fmt.Fprintf(&manyRows, "|network/%d|EOF|-|0|*|\n", i)
	}
	for _, tt := range []struct{ why, text, want string }{
		{"an empty file", "", ":1: the file ends before its title"},
		{"blank lines only", "\n\n", ":2: the file ends before its title"},
		{"a title that is none", change("# network", "network"), ":1: not a title"},
		{"a group in capitals", change("# network:", "# Network:"), `:1: group "Network"`},
		{"an escape in the title", change("what the client", `what \q`), `:1: title: unknown escape "\q"`},
		{"an escape in the source", change("tcp(7).", `tcp\`), ":3: source: a backslash at the end"},
		{"the title alone", "# network\n", ":1: the file ends before the line that says what it is"},
		{"another introduction", change("Golden table", "Table"), ":3: want the line"},
		{"more introduction", change("Source:", "See"), ":3: want nothing or a source"},
		{"no table", network[:strings.Index(network, "| id")], ":4: the file ends before its table"},
		{"no header", strings.Replace(network, network[strings.Index(network, "| id"):strings.Index(network, "| network/refused")], "", 1), `:5: the first column is "network/refused": want id`},
		{"prose before the table", change("| id", "Note.\n| id"), ":5: not a line of a table"},
		{"another first column", change("| id ", "| name "), `:5: the first column is "name"`},
		{"a column that the lab does not know", change("requests", "request"), ":5: unknown column request"},
		{"a column in capitals", change("requests", "Requests"), `:5: column "Requests"`},
		{"a column twice", change("requests", "code    "), ":5: column code is there twice"},
		{"the id twice", change("requests", "id      "), ":5: column id is there twice"},
		{"too many columns", change("syscall", manyColumns.String()), ":5: 69 cells in a line: at most 64"},
		{"no line under the header", network[:strings.Index(network, "| ---")], ":5: the file ends before the line | --- |"},
		{"a row in its place", change("| ---------------", "| network/x"), `:6: "network/x" under the header`},
		{"no line of a table in its place", change("| ---------------", "---------------"), ":6: not a line of a table"},
		{"a tab there", change("| --- |", "|\t--- |"), ":6: character U+0009"},
		{"one cell less there", change("| --- |\n", "|\n"), ":6: 4 cells under a header of 5"},
		{"a cell too few", change("| 15..21   ", ""), ":8: the row has 4 cells, the header 5"},
		{"a cell too many", change("15..21", "15 | 21"), ":8: the row has 6 cells, the header 5"},
		{"a pipe that was not escaped", change(`a \| b`, `a | b`), ":9: the row has 6 cells, the header 5"},
		{"a last pipe that was escaped", change("| * |", `| * \|`), ":8: not a line of a table"},
		{"a row without its last pipe", change("| * |", "| *"), ":8: not a line of a table"},
		{"an id twice", change("network/slow", "network/refused"), ":9: row network/refused is already on line 7"},
		{"an id of another group", change("network/slow", "charge/slow"), `:9: id "charge/slow"`},
		{"an id without a case", change("network/slow", "network/"), `:9: id "network/"`},
		{"an empty cell", change("| -  ", "|    "), ":9: syscall: empty cell"},
		{"a word that the column does not know", change("TIMEOUT", "TIMEOVT"), `:9: code: unknown word "TIMEOVT": want `},
		{"such a word among alternatives", change("read or write", "read or wrote"), `:8: syscall: unknown word "wrote": want getaddrinfo, socket, connect, write, read, -`},
		{"a range where words stand", change("read or write", "1..2"), `:8: syscall: unknown word "1"`},
		{"a range the wrong way round", change("15..21", "21..15"), `:8: requests: range "21..15"`},
		{"an escape in a cell", change(`a \| b`, `a \" b`), `:9: message: unknown escape "\""`},
		{"text after the table", network + "\nNote.\n", ":11: text after the table"},
		{"a row after a blank line", change("| network/slow", "\n| network/slow"), ":10: text after the table"},
		{"an escape sequence", change("tcp(7)", "\x1b[31m"), `:3: character U+001B is not allowed: it is written \u{1b}`},
		{"a tab", change("| connect ", "|\tconnect "), ":7: character U+0009"},
		{"a byte order mark", "\ufeff" + network, ":1: character U+FEFF"},
		{"not UTF-8", change("client", "cl\xffent"), ":1: the line is not UTF-8"},
		{"a line too long", change("what the client sees", strings.Repeat("x", golden.MaxLine)), ":1: the line is longer than 65536 bytes"},
		{"too many rows", network + manyRows.String(), ":10007: more than 10000 rows"},
		{"too large a file", network + strings.Repeat("\n", golden.MaxBytes), "the file is larger than 1048576 bytes"},
	} {
		table, err := golden.Parse("dir/network.md", strings.NewReader(tt.text), vocabulary)
		syntax, ok := errors.AsType[*golden.SyntaxError](err)
		if !ok {
			t.Errorf("%s: Parse = %v, want a *SyntaxError", tt.why, err)
			continue
		}
		if !strings.HasPrefix(err.Error(), "dir/network.md:") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Parse says %q, want dir/network.md%s", tt.why, err, tt.want)
		}
		if syntax.File != "dir/network.md" || syntax.Line < 1 {
			t.Errorf("%s: Parse is at %s:%d", tt.why, syntax.File, syntax.Line)
		}
		if strings.ContainsAny(err.Error(), "\n\x1b\t") {
			t.Errorf("%s: the message holds control characters: %q", tt.why, err)
		}
		if !sameTable(table, golden.Table{}) {
			t.Errorf("%s: a table comes along with the error", tt.why)
		}
	}
}

func TestAnErrorNamesAFileWithoutLettingItMoveTheCursor(t *testing.T) {
	_, err := golden.Parse("a\x1b[2Jb\n.md", strings.NewReader("x"), nil)
	if want := `a\u{1b}[2Jb\u{a}.md:1: not a title: want # group: what it is about`; err == nil || err.Error() != want {
		t.Errorf("Parse says %q, want %q", err, want)
	}
}

func TestAReaderThatFailsIsNotABrokenFile(t *testing.T) {
	cause := errors.New("disk on fire")
	_, err := golden.Parse("network.md", io.MultiReader(strings.NewReader(network), iotest.ErrReader(cause)), vocabulary)
	if _, broken := errors.AsType[*golden.SyntaxError](err); broken || !errors.Is(err, cause) {
		t.Errorf("Parse = %v, want the reader's own error", err)
	}
}

func TestWithoutAVocabularyEveryWordIsAllowed(t *testing.T) {
	text := strings.NewReplacer("requests", "unheard ", "TIMEOUT", "TIMEOVT").Replace(network)
	if _, err := golden.Parse("network.md", strings.NewReader(text), nil); err != nil {
		t.Errorf("Parse: %v", err)
	}
}

func FuzzParseIsBoundedAndWhatItReadsCanBeWritten(f *testing.F) {
	f.Add(network)
	f.Add(strings.ReplaceAll(network, "\n", "\r\n"))
	f.Add("# g\n\n" + "Golden table of retry-lab, recorded from real runs by `retry-lab golden update`.\n| id |\n|-|\n| g/a |\n")
	f.Add("# g: \\ \n" + "Golden table of retry-lab, recorded from real runs by `retry-lab golden update`. Source: \\u{1b}\n| id | message |\n|:-|-:|\n| g/a | \\x{ff} or - |\n| g/b | -3..4 |\n")
	f.Add("# g\n|")
	f.Add("\\")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := golden.Parse("f.md", strings.NewReader(text), nil)
		if err != nil {
			if _, ok := errors.AsType[*golden.SyntaxError](err); !ok || strings.Contains(err.Error(), "\n") {
				t.Fatalf("Parse = %v, want a *SyntaxError on one line", err)
			}
			return
		}
		if len(text) > 16<<10 {
			return // padding may take it over the limit
		}
		written := write(t, table)
		back, err := golden.Parse("f.md", strings.NewReader(written), nil)
		if err != nil {
			t.Fatalf("what Write wrote is refused: %v\n%s", err, written)
		}
		if !sameTable(table, back) {
			t.Fatalf("the table comes back as another one:\n%s", written)
		}
		if again := write(t, back); again != written {
			t.Fatalf("a second Write differs:\n%s\n%s", written, again)
		}
	})
}

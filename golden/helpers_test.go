package golden_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
)

// vocabulary is that of the tables in these tests.
var vocabulary = golden.Standard().With(golden.Vocabulary{
	"saw":      {Words: []string{"nothing", "request", "request, committed"}},
	"requests": {},
	"message":  {},
})

// network is a small table as a file, in the form that Write gives it.
const network = "# network: what the client sees\n" +
	"\n" +
	"Golden table of retry-lab, recorded from real runs by `retry-lab golden update`. Source: tcp(7).\n" +
	"\n" +
	"| id              | code                | syscall       | requests | message |\n" +
	"| --------------- | ------------------- | ------------- | -------- | --- |\n" +
	"| network/refused | ECONNREFUSED        | connect       | 0        | dial tcp 127.0.0.1:PORT: connect: connection refused |\n" +
	"| network/unread  | ECONNRESET or EPIPE | read or write | 15..21   | * |\n" +
	"| network/slow    | TIMEOUT             | -             | 2        | a \\| b |\n"

// networkTable is what network says.
func networkTable() golden.Table {
	return golden.Table{
		Group: "network", Title: "what the client sees", Source: "tcp(7).",
		Columns: []string{"code", "syscall", "requests", "message"},
		File:    "network.md", Line: 5,
		Rows: []golden.Row{
			{ID: "network/refused", Line: 7, Cells: []golden.Cell{golden.Values("ECONNREFUSED"), golden.Values("connect"), golden.Values("0"),
				golden.Values("dial tcp 127.0.0.1:PORT: connect: connection refused")}},
			{ID: "network/unread", Line: 8, Cells: []golden.Cell{golden.Values("ECONNRESET", "EPIPE"), golden.Values("read", "write"),
				golden.Range(15, 21), golden.Any()}},
			{ID: "network/slow", Line: 9, Cells: []golden.Cell{golden.Values("TIMEOUT"), golden.Values(), golden.Values("2"), golden.Values("a | b")}},
		},
	}
}

// networkRun is a complete run that agrees with networkTable.
func networkRun() golden.Run {
	return golden.Run{
		Group: "network", Title: "what the client sees", Source: "tcp(7).",
		Columns: []string{"code", "syscall", "requests", "message"},
		Numeric: []string{"requests"}, Complete: true,
		Rows: []golden.Observed{
			{ID: "network/refused", Cells: map[string][]string{"code": {"ECONNREFUSED"}, "syscall": {"connect"}, "requests": {"0"},
				"message": {"dial tcp 127.0.0.1:PORT: connect: connection refused"}}},
			{ID: "network/unread", Cells: map[string][]string{"code": {"EPIPE"}, "syscall": {"write", "read"}, "requests": {"20", "21"},
				"message": {"write: broken pipe", "read: connection reset by peer"}}},
			{ID: "network/slow", Cells: map[string][]string{"code": {"TIMEOUT"}, "requests": {"2"}, "message": {"a | b"}}},
		},
	}
}

func parse(t testing.TB, text string) golden.Table {
	t.Helper()
	table, err := golden.Parse("network.md", strings.NewReader(text), vocabulary)
	if err != nil {
		t.Fatalf("Parse: %v", err)
	}
	return table
}

func write(t testing.TB, table golden.Table) string {
	t.Helper()
	var b strings.Builder
	if err := golden.Write(&b, table); err != nil {
		t.Fatalf("Write: %v", err)
	}
	return b.String()
}

// sameTable reports whether a and b say the same, wherever they stand.
func sameTable(a, b golden.Table) bool {
	return a.Group == b.Group && a.Title == b.Title && a.Source == b.Source && slices.Equal(a.Columns, b.Columns) &&
		slices.EqualFunc(a.Rows, b.Rows, func(r, s golden.Row) bool {
			return r.ID == s.ID && slices.EqualFunc(r.Cells, s.Cells, golden.Cell.Equal)
		})
}

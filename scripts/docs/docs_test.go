package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/explain"
	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// hostile is what a message may hold to become something else on a page.
const hostile = "a|b\n| c | `d` <script> [x](y) \x1b[2J"

// columnsOfTests are those of the groups that fail with errors.
var columnsOfTests = []string{"code", "phase", "processed", "saw", "get", "post", "post_key", "untraced", "message"}

func groupsOfTests() []scenarios.Group {
	columns := make([]scenarios.Column, len(columnsOfTests))
	for i, name := range columnsOfTests {
		columns[i].Name = name
	}
	refused := &scenarios.Case{ID: "connect/refused", Title: "nobody listens", Source: "connect(2)"}
	after := &scenarios.Case{ID: "connect/after", Title: "refused, the work done", Source: "tcp(7)", Pair: "connect/refused"}
	lying := &scenarios.Case{ID: "connect/lying", Title: hostile, Source: hostile, Needs: hostile}
	pool := &scenarios.Case{ID: "connect/pool", Title: "all busy", Source: "net/http"}
	rare := &scenarios.Case{ID: "connect/rare", Title: "seldom", Source: "tcp(7)"}
	return []scenarios.Group{
		{ID: "connect", Title: hostile, Source: hostile, Columns: columns, Rows: []scenarios.RowDef{
			{ID: "connect/refused", Case: refused}, {ID: "connect/after", Case: after}, {ID: "connect/lying", Case: lying},
			{ID: "connect/pool", Case: pool}, {ID: "connect/rare-read", Case: rare, Part: "read"},
		}},
		{ID: "network", Title: "the article's", Columns: columns, Rows: []scenarios.RowDef{{ID: "network/refused-http", Case: refused}}},
	}
}

// tableOf is a golden table; a row is its id and its cells.
func tableOf(t *testing.T, group string, columns []string, rows ...[]string) golden.Table {
	t.Helper()
	out := golden.Table{Group: group, Columns: columns}
	for _, r := range rows {
		row := golden.Row{ID: r[0]}
		for _, text := range r[1:] {
			row.Cells = append(row.Cells, golden.Values(strings.Split(text, " / ")...))
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// save writes tables where the program finds them.
func save(t *testing.T, dir string, tables ...golden.Table) golden.Set {
	t.Helper()
	for _, table := range tables {
		if err := golden.Save(dir, "linux", table, nil); err != nil {
			t.Fatal(err)
		}
	}
	set, err := golden.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func labOfTests(t *testing.T) lab {
	t.Helper()
	refused := []string{"connect/refused", "ECONNREFUSED", "connect", "never", "nothing", "yes", "yes", "yes", "connect, never, yes", "dial: connection refused"}
	set := save(t, t.TempDir(),
		tableOf(t, "connect", columnsOfTests,
			refused,
			[]string{"connect/after", "ECONNREFUSED", "await", "maybe", "request, committed", "yes", "no", "yes", "unknown, maybe, no", "dial: connection refused"},
			[]string{"connect/lying", "HTTP_503", "answered", "never", "request, committed", "yes", "yes", "yes", "answered, never, yes, refuted", hostile},
			[]string{"connect/pool", "TIMEOUT", "pool", "never", "nothing", "yes", "yes", "yes", "unknown, maybe, no / write, maybe, no", "context deadline exceeded"},
		),
		tableOf(t, "network", columnsOfTests, append([]string{"network/refused-http"}, refused[1:]...)),
	)
	l, err := load(set, "linux", groupsOfTests())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// section is what a page says below a heading, up to the next anchor.
func section(t *testing.T, page, id string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<a id="`+id+`"></a>`)
	if !ok {
		t.Fatalf("no anchor %s on the page:\n%s", id, page)
	}
	text, _, _ := strings.Cut(rest, "<a id=")
	return text
}

func TestARowSaysWhatItMeansAndWhatToDo(t *testing.T) {
	page := labOfTests(t).matrix()
	for id, texts := range map[string][]string{
		"connect-refused": {
			"| ECONNREFUSED | connect | never | nothing | yes | yes | yes |",
			"- **The client logs:** `dial: connection refused`",
			"- **It means:** nothing of the request was sent, so nothing can have acted on it (not-sent;",
			"- **Do:** whatever the request: send it again, after a backoff\n",
			"[connect/after](#connect-after) prints the same, means the opposite",
			"`retry-lab run connect/refused -v`",
		},
		"connect-after": {
			"GET, POST+KEY: send it again, after a backoff; POST: find out first (once the first can no longer arrive, look the operation up by your own reference; if it is not there, send it again)\n",
			"[connect/refused](#connect-refused) prints the same, means the opposite",
			"- **Without a trace:** unknown, maybe, no (phase",
		},
		"connect-lying":        {"- **But:** here that word is not true"},
		"connect-pool":         {"- **Without a trace:** unknown, maybe, no or write, maybe, no"},
		"connect-rare-read":    {"**What happens, outcome `read`:** seldom", "Not seen", "`retry-lab run connect/rare-read -v`"},
		"network-refused-http": {"The same case as [connect/refused](#connect-refused)."},
	} {
		got := section(t, page, id)
		for _, want := range texts {
			if !strings.Contains(got, want) {
				t.Errorf("%s has no %q:\n%s", id, want, got)
			}
		}
	}
}

func TestTheTracePagePutsFirstWhatChangesTheVerdict(t *testing.T) {
	page := labOfTests(t).trace()
	for id, row := range map[string]string{"verdict": "connect/pool", "phase": "connect/after", "refuted": "connect/lying", "same": "connect/refused"} {
		for other := range strings.SplitSeq("verdict phase refuted same", " ") {
			if has := strings.Contains(section(t, page, other), "["+row+"]"); has != (id == other) {
				t.Errorf("%s in section %s: %v", row, other, has)
			}
		}
	}
	if strings.Index(page, `"verdict"`) > strings.Index(page, `"phase"`) || strings.Contains(page, "network/") {
		t.Errorf("the order is not as promised, or a borrowed row is there again:\n%s", page)
	}
}

var (
	anchors = regexp.MustCompile(`<a id="([^"]*)"></a>`)
	targets = regexp.MustCompile(`\]\((matrix\.md)?#([^)]*)\)`)
)

// checkPages: every anchor is there once, every link leads to one, and no row
// of a table has more cells than its header.
func checkPages(t *testing.T, matrix, trace string) {
	t.Helper()
	var ids []string
	for _, m := range anchors.FindAllStringSubmatch(matrix, -1) {
		if slices.Contains(ids, m[1]) {
			t.Errorf("the anchor %s is there twice", m[1])
		}
		ids = append(ids, m[1])
	}
	for _, m := range targets.FindAllStringSubmatch(matrix+trace, -1) {
		if !slices.Contains(ids, m[2]) {
			t.Errorf("a link leads to #%s, which is nowhere", m[2])
		}
	}
	bars := func(line string) int { return strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") }
	above := ""
	for line := range strings.SplitSeq(matrix+trace, "\n") {
		if strings.HasPrefix(above, "|") && strings.HasPrefix(line, "|") && bars(line) != bars(above) {
			t.Errorf("%d bars under %d: %s", bars(line), bars(above), line)
		}
		isCode := strings.HasPrefix(line, "- **The client logs:** `")
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) || strings.Contains(line, "<script>") && !isCode {
			t.Errorf("raw: %q", line)
		}
		above = line
	}
}

func TestNothingOnAPageIsMoreThanText(t *testing.T) {
	l := labOfTests(t)
	checkPages(t, l.matrix(), l.trace())
}

func TestWhatDoesNotFitTogetherIsNoPage(t *testing.T) {
	refused := []string{"connect/refused", "ECONNREFUSED", "connect", "never", "nothing", "yes", "yes", "yes", "connect, never, yes", "dial"}
	network := tableOf(t, "network", columnsOfTests)
	for _, row := range []struct {
		why, want string
		table     golden.Table
	}{
		{"a group without a table", "no golden table", golden.Table{}},
		{"a table with other columns", "its columns are", tableOf(t, "connect", columnsOfTests[1:])},
		{"a row without a case", "no case stands behind", tableOf(t, "connect", columnsOfTests, append([]string{"connect/gone"}, refused[1:]...))},
		{"a verdict that the classifier does not give", "does not decide as recorded",
			tableOf(t, "connect", columnsOfTests, append([]string{"connect/refused", "ECONNREFUSED", "await", "maybe"}, refused[4:]...))},
	} {
		tables := []golden.Table{network}
		if row.table.Group != "" {
			tables = append(tables, row.table)
		}
		_, err := load(save(t, t.TempDir(), tables...), "linux", groupsOfTests())
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want an error with %q", row.why, err, row.want)
		}
	}
	groups := groupsOfTests()
	groups[0].Rows[0].Case.Pair = "connect/nowhere"
	if _, err := load(save(t, t.TempDir(), network, tableOf(t, "connect", columnsOfTests)), "linux", groups); err == nil {
		t.Error("a pair that is no row is no error")
	}
}

// The definitions of the lab alone make pages without a broken link, whatever
// has been recorded.
func TestThePagesOfTheLabAreWrittenAndChecked(t *testing.T) {
	dir := t.TempDir()
	for _, g := range scenarios.Groups() {
		var columns []string
		for _, c := range g.Columns {
			columns = append(columns, c.Name)
		}
		save(t, filepath.Join(dir, "golden"), golden.Table{Group: g.ID, Columns: columns})
	}
	run := func(args ...string) (int, string) {
		var stderr bytes.Buffer
		return docs(append(args, "-golden", filepath.Join(dir, "golden"), "-out", filepath.Join(dir, "docs")), &stderr), stderr.String()
	}
	if code, said := run("-check"); code != 1 || !strings.Contains(said, "make docs") {
		t.Errorf("before there is a page: %d, %q", code, said)
	}
	if code, said := run(); code != 0 || said != "" {
		t.Fatalf("docs: %d, %q", code, said)
	}
	if code, said := run("-check"); code != 0 {
		t.Errorf("as written: %d, %q", code, said)
	}
	matrix, err := os.ReadFile(filepath.Join(dir, "docs", "matrix.md"))
	if err != nil {
		t.Fatal(err)
	}
	checkPages(t, string(matrix), "")
	changed := bytes.Replace(matrix, []byte("## status"), []byte("## stale"), 1)
	if err := os.WriteFile(filepath.Join(dir, "docs", "matrix.md"), changed, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, said := run("-check"); code != 1 || !strings.Contains(said, "-## stale\n+## status\n") {
		t.Errorf("after a change: %d, %q", code, said)
	}
	if code, _ := run("-nonsense"); code != 2 {
		t.Errorf("wrong usage: %d", code)
	}
	if code, said := run("-platform", "plan9"); code != 3 || !strings.Contains(said, "make golden") {
		t.Errorf("no tables: %d, %q", code, said)
	}
}

// The dictionary links to rows of the matrix that are there.
func TestTheDictionaryLeadsToRowsOfTheMatrix(t *testing.T) {
	var dictionary strings.Builder
	if err := explain.WriteDictionary(&dictionary); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, g := range scenarios.Groups() {
		for _, r := range g.Rows {
			ids = append(ids, anchor(r.ID))
		}
	}
	links := regexp.MustCompile(`\]\(matrix\.md#([^)]*)\)`).FindAllStringSubmatch(dictionary.String(), -1)
	for _, m := range links {
		if !slices.Contains(ids, m[1]) {
			t.Errorf("a link leads to matrix.md#%s, which is no row", m[1])
		}
	}
	if len(links) < 100 {
		t.Errorf("%d links", len(links))
	}
}

func TestALongDifferenceIsCut(t *testing.T) {
	err := current(filepath.Join(t.TempDir(), "none.md"), strings.Repeat("line\n", 100))
	var old *outdated
	if !errors.As(err, &old) || strings.Count(old.hint(), "\n") != 41 || !strings.Contains(old.hint(), "lines more") {
		t.Errorf("current: %v", err)
	}
}

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

// columnsOfIndex are those of a group that says which call failed.
var columnsOfIndex = []string{"code", "syscall", "phase", "processed", "get", "post", "post_key", "untraced", "message"}

// indexed is the page of a lab with these rows.
func indexed(t *testing.T, rows ...[]string) string {
	t.Helper()
	g := scenarios.Group{ID: "g"}
	for _, name := range columnsOfIndex {
		g.Columns = append(g.Columns, scenarios.Column{Name: name, Meaning: "the " + name})
	}
	racy := &scenarios.Case{ID: "g/racy", Title: "racy", Source: "tcp(7)"}
	for _, r := range rows {
		def := scenarios.RowDef{ID: r[0], Case: &scenarios.Case{ID: r[0], Title: r[0], Source: "tcp(7)"}}
		if part, ok := strings.CutPrefix(r[0], "g/racy-"); ok {
			def.Case, def.Part = racy, part
		}
		g.Rows = append(g.Rows, def)
	}
	set := save(t, t.TempDir(), tableOf(t, "g", columnsOfIndex, rows...))
	l, err := load(set, "linux", []scenarios.Group{g})
	if err != nil {
		t.Fatal(err)
	}
	page := l.matrix()
	checkPages(t, page, "")
	return page
}

func pageOfResets(t *testing.T) string {
	t.Helper()
	const reset = "read tcp 127.0.0.1:PORT: read: connection reset by peer"
	return indexed(t,
		[]string{"g/hello", "ECONNRESET", "read", "tls", "never", "yes", "yes", "yes", "unknown, maybe, no", reset},
		[]string{"g/racy-read", "ECONNRESET", "read", "await", "maybe", "yes", "no", "yes", "unknown, maybe, no", reset},
		[]string{"g/racy-write", "ECONNRESET", "write", "write", "never", "yes", "yes", "yes", "write, maybe, no", "write: connection reset by peer"},
		[]string{"g/body", "ECONNRESET", "read", "read-body", "yes", "yes", "no", "yes", "read-body, yes, no", reset},
		[]string{"g/dial", "ECONNREFUSED", "connect", "connect", "never", "yes", "yes", "yes", "connect, never, yes", "dial: connection refused"},
		[]string{"g/sticky", "ECONNREFUSED", "connect", "connect", "maybe", "yes", "no", "yes", "connect, maybe, no", "dial: connection refused"},
		[]string{"g/closed", "CONN_CLOSED", "", "write", "maybe", "yes", "no", "yes", "write, maybe, no", "use of closed network connection"},
		[]string{"g/unread", "CONN_CLOSED / ECONNRESET", " / write", "write", "maybe", "yes", "no", "yes", "write, maybe, no",
			"write: use of closed network connection / write: connection reset by peer"},
		[]string{"g/late", "TIMEOUT", "", "connect", "never", "yes", "yes", "yes", "unknown, maybe, no", "deadline"},
		[]string{"g/dialled", "TIMEOUT", "", "connect", "never", "yes", "yes", "yes", "connect, never, yes", "i/o timeout"},
		[]string{"g/ok", "HTTP_200", "", "answered", "yes", "no", "no", "no", "answered, yes, no", "200 OK"},
	)
}

func TestTheIndexByCodeSaysTheRuleFirst(t *testing.T) {
	index := section(t, pageOfResets(t), "by-code")
	for _, want := range []string{
		"- **ECONNRESET, read** — tls: yes, but only a trace proves it; without a trace: no · await: no, find out first · read-body: no, the work is done\\\n" +
			"  tls: [g/hello](#g-hello) · await: [g/racy-read](#g-racy-read) · read-body: [g/body](#g-body)\n",
		"- **ECONNREFUSED, connect** — connect: the phase does not tell: yes (1 row) or no, find out first (1 row)\\\n" +
			"  connect (yes): [g/dial](#g-dial) · connect (no, find out first): [g/sticky](#g-sticky)\n",
		"- **TIMEOUT** — connect: yes, but only a trace proves it; without a trace: no (1 row) or yes (1 row)\\\n",
		"- **CONN_CLOSED** — write: no, find out first\\\n  [g/closed](#g-closed), [g/unread](#g-unread)\n",
		"- **HTTP_200** — no, it is done\\\n  [g/ok](#g-ok)\n",
	} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no %q:\n%s", want, index)
		}
	}
	for _, never := range []string{"**ECONNRESET**", "**CONN_CLOSED, write**"} {
		if strings.Contains(index, never) {
			t.Errorf("%s: no row with one code and one call says so:\n%s", never, index)
		}
	}
}

func TestTheIndexByMessageSaysWhereTheTextDoesNotTell(t *testing.T) {
	index := section(t, pageOfResets(t), "by-message")
	for _, want := range []string{
		"- `connection reset by peer` — **the text does not tell**: 3 rows no, 2 rows yes, and that only by a trace\\\n" +
			"  yes, but only a trace proves it: [g/hello](#g-hello), [g/racy-write](#g-racy-write) · " +
			"no, find out first: [g/racy-read](#g-racy-read), [g/unread](#g-unread) · no, the work is done: [g/body](#g-body)\n",
		"- `connection refused` — **the text does not tell**: 1 row no, 1 row yes\\\n",
		"- `use of closed network connection` — no, find out first\\\n  [g/closed](#g-closed), [g/unread](#g-unread)\n",
	} {
		if !strings.Contains(index, want) {
			t.Errorf("the index has no %q:\n%s", want, index)
		}
	}
	if strings.Contains(index, "200 OK") {
		t.Errorf("an answer is no error:\n%s", index)
	}
}

func TestRowsOfOneCaseSayWhichOutcomeTheyAre(t *testing.T) {
	page := pageOfResets(t)
	for _, part := range []string{"read", "write"} {
		other := map[string]string{"read": "write", "write": "read"}[part]
		got := section(t, page, "g-racy-"+part)
		if !strings.Contains(got, "**What happens, outcome `"+part+"`:** racy.") || !strings.Contains(got, "- **Its other outcomes:** [g/racy-"+other+"](#g-racy-"+other+")\n") {
			t.Errorf("outcome %s:\n%s", part, got)
		}
	}
}

func TestTheEndOfATextDoesNotChangeFromCallToCall(t *testing.T) {
	for _, row := range []struct{ why, text, want string }{
		{"what was being done is left out", "read tcp 127.0.0.1:PORT->127.0.0.1:PORT: read: connection reset by peer", "connection reset by peer"},
		{"one word", "EOF", "EOF"},
		{"no colon in brackets ends it", "http2: cannot retry err [stream error: stream ID 1; X] after the body was written", "cannot retry err [stream error: stream ID N; X] after the body was written"},
		{"no bracket either", "context deadline exceeded (a: b)", "context deadline exceeded (a: b)"},
		{"a quoted text may be any", `malformed HTTP response "SSH: 2"`, `malformed HTTP response "…"`},
		{"and alone says nothing", `malformed header: missing colon: "Content-Le"`, `missing colon: "…"`},
		{"so does the time", "x509: has expired: current time TIME is after 2020-01-01T00:00:00Z", "has expired: current time TIME is after 2020-01-01T00:00:00Z"},
		{"a number may be any", "id=1, stopped after 10 redirects", "id=N, stopped after N redirects"},
		{"but not in a word", "unsupported HTTP/1.x", "unsupported HTTP/1.x"},
		{"nothing", "", ""},
	} {
		if got := stableTail(row.text); got != row.want {
			t.Errorf("%s: stableTail(%q) = %q, want %q", row.why, row.text, got, row.want)
		}
	}
}

func TestEveryColumnAndEveryVerdictIsExplained(t *testing.T) {
	for _, g := range matrix(scenarios.Groups()) {
		for _, c := range g.Columns {
			if c.Meaning == "" {
				t.Errorf("%s: nothing says what %s means", g.ID, c.Name)
			}
		}
	}
	for _, v := range classifier.Verdicts() {
		if verdicts[v] == "" {
			t.Errorf("nothing says what %s means", v)
		}
	}
	words := section(t, pageOfResets(t), "words")
	for _, want := range []string{"| code | [g](#g) | the code |", "| POST+KEY | [g](#g) | the post_key |", "| retry-modified | send it once more"} {
		if !strings.Contains(words, want) {
			t.Errorf("the words have no %q:\n%s", want, words)
		}
	}
}

func TestASeveralValuedCellGoesWithWhatIsSeenAlone(t *testing.T) {
	alone := row{id: "g/a", home: "g/a", cells: map[string]golden.Cell{"code": golden.Values("EPIPE"), "syscall": golden.Values("write")}}
	none := row{id: "g/b", home: "g/b", cells: map[string]golden.Cell{"code": golden.Values("EPIPE")}}
	mixed := row{id: "g/c", home: "g/c", cells: map[string]golden.Cell{"code": golden.Values("EPIPE", "NEW"), "syscall": golden.Values("", "write")}}
	l := lab{groups: []group{{rows: []row{alone, none, mixed}}}}
	want := []failed{{"EPIPE", "write"}, {"NEW", ""}, {"NEW", "write"}}
	if got := l.failed(mixed); !slices.Equal(got, want) {
		t.Errorf("failed: %v, want %v: what never stands alone goes with each", got, want)
	}
}

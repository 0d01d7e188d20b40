package explain_test

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/explain"
)

// The ways in which a paste comes damaged. None of them takes a word away; a
// word that is broken in two may be lost, and then the answer is a more careful
// one.
var damages = []struct {
	name string
	do   func(string) string
}{
	{"as a JSON string in a log line", func(s string) string { return `{"level":"error","msg":` + strconv.Quote(s) + `}` }},
	{"escaped twice", func(s string) string { return `{"log":` + strconv.Quote(`{"msg":`+strconv.Quote(s)+`}`) + `}` }},
	{"with character references", html.EscapeString},
	{"with CRLF", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	{"through syslog", prefixed("Jan 02 03:04:05 node-a app[4100]: ")},
	{"through docker compose", prefixed("app_1  | ")},
	{"through a container runtime", prefixed("2024-01-02T03:04:05.000000000Z stderr F ")},
	{"as a quotation", prefixed("> ")},
	{"in colour", func(s string) string {
		return "\x1b[31m" + strings.ReplaceAll(s, " ", "\x1b[0m \x1b[1;31m") + "\x1b[0m"
	}},
	{"with NULs", func(s string) string { return strings.Join(strings.Split(s, ""), "\x00") }},
	{"with typographic quotes", func(s string) string { return strings.NewReplacer(`"`, "“", `'`, "’").Replace(s) }},
	{"wrapped between words", func(s string) string { return wrapped(s, false) }},
	{"wrapped inside words", func(s string) string { return wrapped(s, true) }},
}

func prefixed(prefix string) func(string) string {
	return func(s string) string { return prefix + strings.ReplaceAll(s, "\n", "\n"+prefix) }
}

// wrapped breaks lines after 60 characters, as a narrow terminal does: an
// indent follows a break between words, nothing one inside a word.
func wrapped(s string, inside bool) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		for len(line) > 60 {
			at := 60
			if !inside {
				if at = strings.LastIndexByte(line[:60], ' '); at <= 8 {
					break
				}
			}
			out = append(out, line[:at])
			line = line[at:]
			if !inside {
				line = "    " + line
			}
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestDamageDoesNotChangeTheAnswer(t *testing.T) {
	cases := loadCases(t, "testdata/cases.jsonl")
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			changed, dangerous := 0, 0
			for _, c := range cases {
				r := explain.Text([]byte(d.do(c.Text)))
				wrong, danger := differs(c, r.Operation)
				if danger {
					dangerous++
				}
				if wrong || danger {
					changed++
					t.Log(c.ID, "dangerous:", danger, fmt.Sprintf("%.90q", d.do(c.Text)), short(r.Operation), "want", c.Code, c.Phase, c.Processed, entries(r))
				}
			}
			if dangerous > 0 || changed > len(cases)/25 {
				t.Errorf("%d of %d answers changed, %d of them are dangerous; want at most 4 %%, none dangerous", changed, len(cases), dangerous)
			}
		})
	}
}

package golden_test

import (
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
)

func TestACellAgreesWithWhatItExpectsAndWithNothingElse(t *testing.T) {
	for _, tt := range []struct {
		why      string
		cell     string
		observed []string
		want     bool
	}{
		{"the one value", "connect", []string{"connect"}, true},
		{"another value", "connect", []string{"read"}, false},
		{"a value that only begins like it", "connect", []string{"connected"}, false},
		{"the expected value and one more", "connect", []string{"connect", "read"}, false},
		{"one of the alternatives", "ECONNRESET or EPIPE", []string{"EPIPE"}, true},
		{"all alternatives, in another order", "ECONNRESET or EPIPE", []string{"EPIPE", "ECONNRESET"}, true},
		{"an alternative and a stranger", "ECONNRESET or EPIPE", []string{"EPIPE", "EOF"}, false},
		{"the text of the alternatives is no value", "ECONNRESET or EPIPE", []string{"ECONNRESET or EPIPE"}, false},
		{"the empty value", "-", []string{""}, true},
		{"no value counts as the empty one", "-", nil, true},
		{"no value does not agree by default", "connect", nil, false},
		{"no value is not an integer", "0..9", nil, false},
		{"a hyphen is not the empty value", "-", []string{"-"}, false},
		{"an empty alternative", "- or read", []string{"", "read"}, true},
		{"the lower end", "15..21", []string{"15"}, true},
		{"the upper end", "15..21", []string{"21", "15"}, true},
		{"below", "15..21", []string{"14"}, false},
		{"above, among others", "15..21", []string{"16", "22"}, false},
		{"not an integer", "15..21", []string{"16.5"}, false},
		{"not the spelling of an integer", "15..21", []string{"016"}, false},
		{"a range below zero", "-5..-1", []string{"-3"}, true},
		{"a range is no value", "15..21", []string{"15..21"}, false},
		{"anything", "*", []string{"x", ""}, true},
		{"anything, even nothing", "*", nil, true},
	} {
		cell, err := golden.ParseCell(tt.cell)
		if err != nil {
			t.Errorf("%s: ParseCell(%q): %v", tt.why, tt.cell, err)
			continue
		}
		if got := cell.Agrees(tt.observed); got != tt.want {
			t.Errorf("%s: cell %q Agrees(%q) = %v, want %v", tt.why, tt.cell, tt.observed, got, tt.want)
		}
	}
}

func TestACellThatIsNotInTheNotationIsRefused(t *testing.T) {
	for _, tt := range []struct{ why, cell, want string }{
		{"nothing at all", "  ", "empty cell"},
		{"a range the wrong way round", "21..15", "the first end is the larger"},
		{"a range beyond 64 bits", "0..9223372036854775808", "plain integers"},
		{"a range with a leading zero", "01..2", "plain integers"},
		{"a range among alternatives", "none or 1..2", "cannot be one of several"},
		{"a star among alternatives", "* or read", "cannot be one of several"},
		{"the same value twice", "read or read", "listed twice"},
		{"an alternative that was forgotten", "read or", `"or" without a value on both sides`},
		{"a first one that was forgotten", "or read", `"or" without a value on both sides`},
		{"nothing between two or", "a or  or b", "nothing beside an \"or\""},
		{"nothing but or", "or", `"or" without a value on both sides`},
		{"an escape that nothing writes", `a\q`, `unknown escape "\q"`},
		{"a backslash at the end", `a\`, "a backslash at the end"},
		{"a code point without braces", `\u1b`, `is written \u{hex}`},
		{"a code point without digits", `\u{}`, `is written \u{hex}`},
		{"a code point that is none", `\u{110000}`, "out of range"},
		{"half of a surrogate pair", `\u{d800}`, "out of range"},
		{"more than a byte", `\x{100}`, "out of range"},
	} {
		cell, err := golden.ParseCell(tt.cell)
		if err == nil {
			t.Errorf("%s: ParseCell(%q) = %q, want an error", tt.why, tt.cell, cell)
		} else if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: ParseCell(%q): %q, want it to say %q", tt.why, tt.cell, err, tt.want)
		}
	}
}

// The right column is part of the file format: a change breaks the tables that
// people keep.
func TestEveryValueHasOneSpellingAndComesBack(t *testing.T) {
	for _, tt := range []struct {
		why    string
		values []string
		want   string
	}{
		{"plain", []string{"ECONNRESET"}, "ECONNRESET"},
		{"empty", []string{""}, "-"},
		{"empty among others", []string{"", "read"}, "- or read"},
		{"a pipe", []string{"a|b"}, `a\|b`},
		{"a backslash", []string{`a\b`}, `a\\b`},
		{"a backslash and a pipe", []string{`a\|b`}, `a\\\|b`},
		{"a newline", []string{"a\nb"}, "a<br>b"},
		{"what looks like a newline", []string{"a<br>b"}, `a\<br>b`},
		{"backticks", []string{"`x`"}, "`x`"},
		{"a star", []string{"*"}, `\*`},
		{"a star in a text", []string{"*url.Error"}, "*url.Error"},
		{"a hyphen", []string{"-"}, `\-`},
		{"a range", []string{"1..2"}, `\1..2`},
		{"a range below zero", []string{"-2..-1"}, `\-2..-1`},
		{"not quite a range", []string{"1..2.3"}, "1..2.3"},
		{"the word or", []string{"this or that"}, `this \or that`},
		{"or alone", []string{"or"}, `\or`},
		{"or at the end, then another", []string{"a or", "b"}, `a \or or b`},
		{"a space, or, a space", []string{" or "}, `\ or\ `},
		{"a word that contains or", []string{"error for"}, "error for"},
		{"spaces at both ends", []string{" a "}, `\ a\ `},
		{"a space at the end, then another", []string{"a ", "b"}, `a\  or b`},
		{"nothing but spaces", []string{"   "}, `\  \ `},
		{"a backslash before the last space", []string{`a\ `}, `a\\\ `},
		{"an escape sequence", []string{"\x1b[31m"}, `\u{1b}[31m`},
		{"a text that reads backwards", []string{"a\u202eb"}, `a\u{202e}b`},
		{"a tab and a return", []string{"\t\r"}, `\u{9}\u{d}`},
		{"a byte that is not UTF-8", []string{"\xef\xff"}, `\x{ef}\x{ff}`},
		{"the replacement character", []string{"\uFFFD"}, "\uFFFD"},
		{"letters beyond ASCII", []string{"größer 日本"}, "größer 日本"},
	} {
		table := golden.Table{Group: "g", Columns: []string{"message"}, Rows: []golden.Row{{ID: "g/x", Cells: []golden.Cell{golden.Values(tt.values...)}}}}
		text := write(t, table)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if got := strings.TrimSuffix(strings.TrimPrefix(lines[len(lines)-1], "| g/x | "), " |"); got != tt.want {
			t.Errorf("%s: Values(%q) is written %q, want %q", tt.why, tt.values, got, tt.want)
		}
		if back := parse(t, text); !sameTable(table, back) {
			t.Errorf("%s: Values(%q) comes back as %v", tt.why, tt.values, back.Rows)
		}
	}
}

func TestAMessageForPeopleHasNoEscapes(t *testing.T) {
	for _, tt := range []struct {
		cell golden.Cell
		want string
	}{
		{golden.Values("a|b", ""), "a|b or -"},
		{golden.Range(21, 15), "15..21"},
		{golden.Any(), "*"},
		{golden.Cell{}, "-"},
		{golden.Values("x", "x"), "x"},
	} {
		if got := tt.cell.String(); got != tt.want {
			t.Errorf("String() = %q, want %q", got, tt.want)
		}
	}
}

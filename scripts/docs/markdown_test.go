package main

import (
	"strings"
	"testing"
)

func TestTextsFromOutsideShowAsTheyAre(t *testing.T) {
	for _, row := range []struct{ why, text, want string }{
		{"plain text stays plain", "dial tcp 127.0.0.1:PORT", "dial tcp 127.0.0.1:PORT"},
		{"a bar is no cell", "a|b", `a\|b`},
		{"a newline is no row", "a\nb", `a\\u{a}b`},
		{"no link, no image", "![x](y)", `!\[x\](y)`},
		{"no HTML", "<b>&amp;", `\<b\>\&amp;`},
		{"no code, no emphasis", "`a` *b* ~c~", "\\`a\\` \\*b\\* \\~c\\~"},
		{"a word keeps its underscores, they begin nothing there", "EAI_AGAIN", "EAI_AGAIN"},
		{"but at its ends they would", "_a_", `\_a\_`},
		{"nothing moves a cursor", "\x1b[2J\u202e", `\\u{1b}\[2J\\u{202e}`},
		{"a backslash is one", `a\|b`, `a\\\|b`},
	} {
		if got := escape(row.text); got != row.want {
			t.Errorf("%s: escape(%q) = %q, want %q", row.why, row.text, got, row.want)
		}
	}
}

func TestCodeEndsWhereItsTextEnds(t *testing.T) {
	for text, want := range map[string]string{
		"EOF":      "`EOF`",
		"a `b` c":  "``a `b` c``",
		"`b`":      "`` `b` ``",
		"a ``` b":  "````a ``` b````",
		"a\nb\x1b": "`a\\u{a}b\\u{1b}`",
	} {
		if got := code(text); got != want {
			t.Errorf("code(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestATableHasItsCellsInOneLine(t *testing.T) {
	var b strings.Builder
	table(&b, []string{"id", "x"}, []string{"a", "b"}, []string{"c", "d"})
	if want := "| id | x |\n| --- | --- |\n| a | b |\n| c | d |\n\n"; b.String() != want {
		t.Errorf("table: %q, want %q", b.String(), want)
	}
}

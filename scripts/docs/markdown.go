package main

import (
	"fmt"
	"strings"
	"unicode"
)

// special is what can begin a cell, a link, emphasis, code or HTML.
const special = "\\`|[]<>&*_~"

// escape returns text as Markdown that shows it, inside a line.
func escape(text string) string {
	runes := []rune(visible(text))
	var b strings.Builder
	for i, r := range runes {
		inWord := r == '_' && i > 0 && i < len(runes)-1 && alphanumeric(runes[i-1]) && alphanumeric(runes[i+1])
		if strings.ContainsRune(special, r) && !inWord {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// code returns text as code, outside of a table. Its fence is longer than any
// run of backticks in it.
func code(text string) string {
	text = visible(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// visible replaces what cannot be seen, and ends of lines.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// table writes a table of escaped cells.
func table(b *strings.Builder, header []string, rows ...[]string) {
	rule := make([]string, len(header))
	for i := range rule {
		rule[i] = "---"
	}
	for _, cells := range append([][]string{header, rule}, rows...) {
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	b.WriteByte('\n')
}

// anchor is where a row or a group stands on the page: connect-refused.
func anchor(id string) string { return strings.ReplaceAll(id, "/", "-") }

// mark writes an anchor. That of a heading would follow its text.
func mark(b *strings.Builder, id string) { fmt.Fprintf(b, "<a id=%q></a>\n\n", anchor(id)) }

// link leads to a row of the matrix, on the page it is on or from another one.
func link(page, id string) string { return fmt.Sprintf("[%s](%s#%s)", escape(id), page, anchor(id)) }

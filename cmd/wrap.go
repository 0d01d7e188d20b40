package cmd

import (
	"strings"
	"unicode/utf8"
)

// mostLines is how many lines a cell may take before it is cut.
const mostLines = 12

func wrapCells(cells []string, widths []int, split func(string) []string) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = strings.Join(wrap(cell, widths[i], split), "\n")
	}
	return out
}

// wrap breaks text into lines of at most width columns, between words where
// that is possible, and cuts it with … after mostLines.
func wrap(text string, width int, split func(string) []string) []string {
	var lines []string
	for _, paragraph := range linesOf(text) {
		lines = append(lines, wrapLine(split(paragraph), width)...)
	}
	if len(lines) > mostLines {
		lines = lines[:mostLines]
		lines[mostLines-1] = ellipsis(lines[mostLines-1]+" …", width)
	}
	return lines
}

// wrapLine stops once wrap would cut what follows.
func wrapLine(words []string, width int) (lines []string) {
	line := ""
	for _, word := range words {
		if line != "" && displayWidth(line)+displayWidth(strings.TrimRight(word, " ")) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += word
		for displayWidth(strings.TrimRight(line, " ")) > width && len(lines) <= mostLines {
			var head string
			head, line = cut(line, width)
			lines = append(lines, head)
		}
		if len(lines) > mostLines {
			return lines
		}
	}
	return append(lines, strings.TrimRight(line, " "))
}

// words splits text where a line may end: after spaces, which stay with the
// word before them, and after a hyphen or a slash inside a word.
func words(text string) []string { return splitAfter(text, "-/") }

// spaced splits text after spaces alone, as ids are.
func spaced(text string) []string { return splitAfter(text, "") }

// headerWords does the same for the name of a column.
func headerWords(text string) []string { return splitAfter(text, "-/_") }

func splitAfter(text, inside string) []string {
	var list []string
	start := 0
	for i := 1; i < len(text); i++ {
		afterSpace := text[i-1] == ' ' && text[i] != ' '
		afterHyphen := i > 1 && strings.IndexByte(inside, text[i-1]) >= 0 && alphanumeric(text[i-2]) && alphanumeric(text[i])
		if afterSpace || afterHyphen {
			list = append(list, text[start:i])
			start = i
		}
	}
	return append(list, text[start:])
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// cut splits s after the most characters that fit in width, at least one.
func cut(s string, width int) (head, rest string) {
	end := 0
	for end < len(s) {
		_, size := utf8.DecodeRuneInString(s[end:])
		if end > 0 && displayWidth(s[:end+size]) > width {
			break
		}
		end += size
	}
	return s[:end], s[end:]
}

// ellipsis cuts s to width columns, the last of which says so.
func ellipsis(s string, width int) string {
	if displayWidth(s) <= width {
		return s
	}
	head, _ := cut(s, max(1, width-1))
	return strings.TrimRight(head, " …") + "…"
}

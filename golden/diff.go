package golden

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// diffContext is how many unchanged lines stand around a change.
const diffContext = 3

// maxDiffCells bounds the table that the longest common subsequence is found
// in, 16 MiB. Where the changed part is larger, all its old lines are shown
// removed and all its new ones added.
const maxDiffCells = 4 << 20

// Diff returns the change from old to new as a unified diff of the file name,
// or nothing where they are equal. An empty old is a file that does not exist.
// Control characters in a line are escaped.
func Diff(old, new []byte, name string) string {
	if bytes.Equal(old, new) {
		return ""
	}
	from := printable(name)
	if len(old) == 0 {
		from = "/dev/null"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, printable(name))
	lines := diffLines(splitLines(old), splitLines(new))
	for _, h := range hunks(lines) {
		writeHunk(&b, lines, h)
	}
	return b.String()
}

// diffLine is one line of a diff; kind is ' ', '-' or '+'.
type diffLine struct {
	kind byte
	text string
}

// splitLines returns the lines of data, each with its newline, which the last
// one may lack.
func splitLines(data []byte) []string {
	lines := strings.SplitAfter(string(data), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func diffLines(a, b []string) []diffLine {
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	lines := marked(' ', a[:head])
	lines = append(lines, diffMiddle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return append(lines, marked(' ', a[len(a)-tail:])...)
}

func marked(kind byte, texts []string) []diffLine {
	var lines []diffLine
	for _, t := range texts {
		lines = append(lines, diffLine{kind, t})
	}
	return lines
}

// diffMiddle finds the changes by the longest common subsequence of lines.
func diffMiddle(a, b []string) []diffLine {
	if len(a)*len(b) > maxDiffCells {
		return append(marked('-', a), marked('+', b)...)
	}
	// common[i*w+j] is the length of that of a[i:] and b[j:].
	w := len(b) + 1
	common := make([]int32, (len(a)+1)*w)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*w+j] = common[(i+1)*w+j+1] + 1
			} else {
				common[i*w+j] = max(common[(i+1)*w+j], common[i*w+j+1])
			}
		}
	}
	var lines []diffLine
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			lines = append(lines, diffLine{' ', a[i]})
			i, j = i+1, j+1
		case common[(i+1)*w+j] >= common[i*w+j+1]:
			lines = append(lines, diffLine{'-', a[i]})
			i++
		default:
			lines = append(lines, diffLine{'+', b[j]})
			j++
		}
	}
	return slices.Concat(lines, marked('-', a[i:]), marked('+', b[j:]))
}

// hunk is a piece of a diff, lines[start:end].
type hunk struct{ start, end int }

// hunks returns the pieces around the changes; those whose context meets are one.
func hunks(lines []diffLine) []hunk {
	var all []hunk
	for i, l := range lines {
		if l.kind == ' ' {
			continue
		}
		start, end := max(0, i-diffContext), min(len(lines), i+1+diffContext)
		if n := len(all); n > 0 && start <= all[n-1].end {
			all[n-1].end = end
		} else {
			all = append(all, hunk{start, end})
		}
	}
	return all
}

func writeHunk(b *strings.Builder, lines []diffLine, h hunk) {
	oldStart, newStart := count(lines[:h.start], '+'), count(lines[:h.start], '-')
	oldLines, newLines := count(lines[h.start:h.end], '+'), count(lines[h.start:h.end], '-')
	fmt.Fprintf(b, "@@ -%s +%s @@\n", extent(oldStart, oldLines), extent(newStart, newLines))
	for _, l := range lines[h.start:h.end] {
		text, whole := strings.CutSuffix(l.text, "\n")
		fmt.Fprintf(b, "%c%s\n", l.kind, printable(text))
		if !whole {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

// count returns how many lines there are on the side that has no lines of kind.
func count(lines []diffLine, kind byte) int {
	n := 0
	for _, l := range lines {
		if l.kind != kind {
			n++
		}
	}
	return n
}

// extent writes the place of n lines that follow the first before lines; one
// that has none is named by the line before it.
func extent(before, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, n)
}

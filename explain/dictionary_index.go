package explain

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// codeIndex is the anchors of the entries, by the code of their example.
type codeIndex map[classifier.Code][]string

// add adds a runtime's entries.
func (x *codeIndex) add(t *Table) {
	if *x == nil {
		*x = codeIndex{}
	}
	for i := range t.Entries {
		if e := &t.Entries[i]; e.names() {
			code := e.answered().Code
			(*x)[code] = append((*x)[code], fmt.Sprintf("[%s](#%s)", e.ID, e.anchor()))
		}
	}
}

// write writes the codes, each with an anchor named after it.
func (x *codeIndex) write(b *bufio.Writer) {
	b.WriteString("\n## By code\n\n| code | printed as |\n|---|---|\n")
	for _, code := range slices.Sorted(maps.Keys(*x)) {
		fmt.Fprintf(b, "| <a id=\"%s\"></a>%s | %s |\n", strings.ToLower(string(code)), code, strings.Join((*x)[code], " "))
	}
}

// quoted is a text in code marks, on one line.
func quoted(s string) string {
	s = Escape([]byte(s), 240)
	mark := "`"
	for strings.Contains(s, mark) {
		mark += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") {
		s = " " + s + " "
	}
	return mark + s + mark
}

// markdownCell keeps a text in its column of a table.
func markdownCell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(s)
}

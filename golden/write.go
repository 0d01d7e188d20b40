package golden

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// widest is how far one long cell may push a column apart, in characters. It
// keeps a single long value from padding, and so changing, every other line.
const widest = 40

// narrowest is the width of --- under a header.
const narrowest = 3

// Write writes t as a golden file that Parse reads back as the same table. It
// writes nothing where t cannot be one: a name that is not allowed, an ID twice,
// a row with too few cells, a limit exceeded. Else it returns the error of w.
func Write(w io.Writer, t Table) error {
	data, err := t.encode()
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func (t Table) encode() ([]byte, error) {
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("golden table %s: %w", quote(t.Group), err)
	}
	lines := [][]string{append([]string{idColumn}, t.Columns...), make([]string, len(t.Columns)+1)}
	for _, row := range t.Rows {
		line := []string{row.ID}
		for _, c := range row.Cells {
			line = append(line, c.encode())
		}
		lines = append(lines, line)
	}
	widths := columnWidths(lines)
	for i, width := range widths {
		lines[1][i] = strings.Repeat("-", max(narrowest, width))
	}

	var b bytes.Buffer
	b.WriteString(head(t))
	for _, line := range lines {
		before := b.Len()
		writeLine(&b, line, widths)
		if n := b.Len() - before - 1; n > MaxLine {
			return nil, fmt.Errorf("golden table %s: row %s takes %d bytes: at most %d", quote(t.Group), quote(line[0]), n, MaxLine)
		}
	}
	if b.Len() > MaxBytes {
		return nil, fmt.Errorf("golden table %s: it takes %d bytes: at most %d", quote(t.Group), b.Len(), MaxBytes)
	}
	return b.Bytes(), nil
}

// head is what stands above the table.
func head(t Table) string {
	title, source := "# "+t.Group, intro
	if t.Title != "" {
		title += ": " + encodeText(t.Title)
	}
	if t.Source != "" {
		source += introSource + encodeText(t.Source)
	}
	return title + "\n\n" + source + "\n\n"
}

func writeLine(b *bytes.Buffer, cells []string, widths []int) {
	for i, cell := range cells {
		b.WriteString("| " + cell + strings.Repeat(" ", max(0, widths[i]-utf8.RuneCountInString(cell))) + " ")
	}
	b.WriteString("|\n")
}

// columnWidths returns how wide each column is. The last one is not padded: it
// is where the long texts are, and nothing stands to its right.
func columnWidths(lines [][]string) []int {
	widths := make([]int, len(lines[0]))
	for i := range len(widths) - 1 {
		widths[i] = narrowest
		for _, line := range lines {
			widths[i] = max(widths[i], min(widest, utf8.RuneCountInString(line[i])))
		}
	}
	return widths
}

// check returns why t cannot be written, or nil.
func (t Table) check() error {
	if !groupName.MatchString(t.Group) {
		return fmt.Errorf("a group is named in lower-case letters, digits and -")
	}
	if n := max(len(encodeText(t.Title)), len(encodeText(t.Source))); n > MaxLine/2 {
		return fmt.Errorf("title or source takes %d bytes: at most %d", n, MaxLine/2)
	}
	if err := checkColumns(t.Columns); err != nil {
		return err
	}
	if len(t.Rows) > MaxRows {
		return fmt.Errorf("%d rows: at most %d", len(t.Rows), MaxRows)
	}
	seen := map[string]bool{}
	for _, row := range t.Rows {
		if err := checkID(t.Group, row.ID); err != nil {
			return err
		}
		if seen[row.ID] {
			return fmt.Errorf("row %s is there twice", row.ID)
		}
		if len(row.Cells) != len(t.Columns) {
			return fmt.Errorf("row %s has %d cells for %d columns", row.ID, len(row.Cells), len(t.Columns))
		}
		seen[row.ID] = true
	}
	return nil
}

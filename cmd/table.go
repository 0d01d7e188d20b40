package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// gap is what stands between two columns.
const gap = 2

// A grid is a table of safe text for a terminal. A newline in a cell begins
// another line of it.
type grid struct {
	header []string
	rows   [][]string
	right  []int // columns of numbers

	// prose are the columns of sentences, with the width that each needs to be
	// read: their words are broken before all others, and not below that.
	prose map[int]int

	// paint colours a cell of a column after it was fitted; nil leaves it.
	paint func(column int, cell string) string
}

// write prints the grid in at most width columns, as several tables where its
// columns do not fit beside each other.
func (g grid) write(w io.Writer, width int) error {
	var fitted []grid
	for _, part := range g.parts(width) {
		fitted = append(fitted, part.fit(width))
	}
	return printAll(w, fitted)
}

// printAll prints grids as they stand, with a blank line between two.
func printAll(w io.Writer, grids []grid) error {
	for i, g := range grids {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := g.print(w); err != nil {
			return err
		}
	}
	return nil
}

// print prints the grid as it stands.
func (g grid) print(w io.Writer) error {
	var buf bytes.Buffer
	t := newTable(&buf, g)
	t.Header(g.header)
	for _, row := range g.rows {
		if err := t.Append(g.painted(row)); err != nil {
			return fmt.Errorf("table row %q: %w", row[0], err)
		}
	}
	if err := t.Render(); err != nil {
		return fmt.Errorf("render table: %w", err)
	}
	for line := range strings.Lines(buf.String()) {
		if _, err := io.WriteString(w, strings.TrimRight(line, " \n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func (g grid) painted(row []string) []string {
	if g.paint == nil {
		return row
	}
	out := make([]string, len(row))
	for i, cell := range row {
		out[i] = g.paint(i, cell)
	}
	return out
}

// newTable makes every table of the program look alike: no borders, a line
// under the header. The text is fitted before it comes here, because
// tablewriter cuts words and loses colours where it wraps.
func newTable(w io.Writer, g grid) *tablewriter.Table {
	align, padding := make([]tw.Align, len(g.header)), make([]tw.Padding, len(g.header))
	for i := range align {
		align[i], padding[i] = tw.AlignLeft, tw.Padding{Overwrite: true}
		if i < len(g.header)-1 {
			padding[i].Right = strings.Repeat(" ", gap)
		}
	}
	for _, i := range g.right {
		align[i] = tw.AlignRight
	}
	return tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewBlueprint()), // first: it replaces the rendition
		tablewriter.WithRendition(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowHeaderLine: tw.On, ShowTop: tw.Off, ShowBottom: tw.Off},
			},
		}),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignment(tw.AlignLeft),
		tablewriter.WithAlignment(align),
		tablewriter.WithHeaderPaddingPerColumn(padding),
		tablewriter.WithRowPaddingPerColumn(padding),
		tablewriter.WithEastAsian(tw.Off), // else a Japanese locale doubles the width of every line
	)
}

// displayWidth is how many columns one line takes on a terminal.
func displayWidth(s string) int {
	return twwidth.WidthWithOptions(s, twwidth.Options{})
}

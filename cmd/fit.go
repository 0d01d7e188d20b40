package cmd

import (
	"slices"
	"strings"
)

// fit returns g with its cells wrapped so that a line takes at most width
// columns, where that can be done.
func (g grid) fit(width int) grid {
	total := width - gap*(len(g.header)-1)
	widths := g.shrink(total)
	return g.wrapped(g.unwrap(g.wrapped(widths).widths(), total))
}

// wrapped returns g with its cells wrapped to the width of their columns.
func (g grid) wrapped(widths []int) grid {
	out := g
	out.header = wrapCells(g.header, widths, headerWords)
	out.rows = nil
	for _, row := range g.rows {
		out.rows = append(out.rows, wrapCells(row, widths, words))
	}
	return out
}

// unwrap gives columns their full width again as long as the sum is at most
// total: wrapped lines are often shorter than they might be. It begins with the
// column that lacks the least.
func (g grid) unwrap(widths []int, total int) []int {
	full := g.widths()
	order := make([]int, len(widths))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return full[a] - widths[a] - (full[b] - widths[b]) })
	slack := total - sum(widths)
	for _, i := range order {
		if lack := full[i] - widths[i]; lack <= slack {
			slack -= lack
			widths[i] = full[i]
		}
	}
	return widths
}

// widths is the width of each column as it stands.
func (g grid) widths() []int { return larger(widest(linesOf, g.header), widest(linesOf, g.rows...)) }

// width is how many columns g takes as it stands.
func (g grid) width() int {
	return sum(g.widths()) + gap*(len(g.header)-1)
}

// height is how many lines g takes as it stands, with the one under the header.
func (g grid) height() int {
	total := 1
	for _, row := range append([][]string{g.header}, g.rows...) {
		lines := 1
		for _, cell := range row {
			lines = max(lines, 1+strings.Count(cell, "\n"))
		}
		total += lines
	}
	return total
}

// What a width costs a grid, as cost says.
const (
	wordsIntact = iota
	proseBroken // words of sentences are broken
	wordsBroken // ids and codes are
)

// cost says what has to be broken so that a line takes at most width columns.
func (g grid) cost(width int) int {
	total, floors := width-gap*(len(g.header)-1), g.floors()
	switch {
	case sum(floors[1]) <= total:
		return wordsIntact
	case sum(floors[2]) <= total:
		return proseBroken
	}
	return wordsBroken
}

// floors are the least widths of the columns, for one means after the other:
// wrapping the header; wrapping cells between words; breaking the words of
// sentences; ids, in the first column, at a hyphen or slash; any word.
func (g grid) floors() [5][]int {
	const narrow = 6 // below this a column is not worth reading
	full, header := g.widths(), widest(headerWords, g.header)
	atHyphens := larger(header, widest(words, g.rows...))
	whole := slices.Clone(atHyphens)
	whole[0] = larger(header, widest(spaced, g.rows...))[0]
	prose := slices.Clone(whole)
	for i, room := range g.prose {
		prose[i] = min(room, full[i])
		whole[i] = max(whole[i], prose[i])
	}
	ids := slices.Clone(prose)
	ids[0] = atHyphens[0]
	broken := slices.Clone(ids)
	for i := range broken {
		broken[i] = min(broken[i], narrow)
	}
	return [5][]int{larger(header, widest(linesOf, g.rows...)), whole, prose, ids, broken}
}

// shrink returns the width of each column so that their sum is at most total,
// or as near as it comes. Of each means it takes from the widest column first,
// and no more than is needed.
func (g grid) shrink(total int) []int {
	widths := g.widths()
	for _, floors := range g.floors() {
		for sum(widths) > total {
			at := -1
			for i := range widths {
				if widths[i] > floors[i] && (at < 0 || widths[i] > widths[at]) {
					at = i
				}
			}
			if at < 0 {
				break
			}
			widths[at]--
		}
	}
	return widths
}

// widest is the width of the widest piece in each column of rows.
func widest(pieces func(string) []string, rows ...[]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			for _, piece := range pieces(cell) {
				widths[i] = max(widths[i], displayWidth(strings.TrimRight(piece, " ")))
			}
		}
	}
	return widths
}

func linesOf(cell string) []string { return strings.Split(cell, "\n") }

// larger is the larger of both, column by column; the second may be shorter.
func larger(a, b []int) []int {
	out := slices.Clone(a)
	for i := range b {
		out[i] = max(out[i], b[i])
	}
	return out
}

func sum(list []int) int {
	total := 0
	for _, n := range list {
		total += n
	}
	return total
}

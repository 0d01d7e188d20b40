package golden

import (
	"regexp"
	"slices"
	"strings"
)

// delimiter is a cell of the line under a header, with or without an alignment.
var delimiter = regexp.MustCompile(`^:?-+:?$`)

func (p *parser) header() error {
	line, err := p.nextText("its table, which begins | id |")
	if err != nil {
		return err
	}
	cells, err := p.split(line)
	if err != nil {
		return err
	}
	if cells[0] != idColumn {
		return p.errorf("the first column is %s: want id", quote(cells[0]))
	}
	columns := cells[1:]
	if err := checkColumns(columns); err != nil {
		return p.errorf("%v", err)
	}
	for _, c := range columns {
		if _, ok := p.vocab[c]; !ok && p.vocab != nil {
			return p.errorf("unknown column %s", c)
		}
	}
	p.table.Columns, p.table.Line = columns, p.line
	return nil
}

func (p *parser) delimiter() error {
	line, ok, err := p.next()
	if err != nil {
		return err
	}
	if !ok {
		return p.errorf("the file ends before the line | --- | under the header")
	}
	cells, err := p.split(line)
	if err != nil {
		return err
	}
	if len(cells) != len(p.table.Columns)+1 {
		return p.errorf("%d cells under a header of %d", len(cells), len(p.table.Columns)+1)
	}
	if i := slices.IndexFunc(cells, func(c string) bool { return !delimiter.MatchString(c) }); i >= 0 {
		return p.errorf("%s under the header: want ---", quote(cells[i]))
	}
	return nil
}

// body reads the rows up to a blank line, after which nothing may follow.
func (p *parser) body() error {
	ended := false
	for {
		line, ok, err := p.next()
		if err != nil || !ok {
			return err
		}
		blank := strings.Trim(line, " ") == ""
		switch {
		case blank:
			ended = true
		case ended:
			return p.errorf("text after the table: update would lose it")
		default:
			if err := p.row(line); err != nil {
				return err
			}
		}
	}
}

func (p *parser) row(line string) error {
	texts, err := p.split(line)
	if err != nil {
		return err
	}
	if len(texts) != len(p.table.Columns)+1 {
		return p.errorf("the row has %d cells, the header %d", len(texts), len(p.table.Columns)+1)
	}
	if len(p.table.Rows) == MaxRows {
		return p.errorf("more than %d rows", MaxRows)
	}
	row := Row{ID: texts[0], Line: p.line}
	if err := checkID(p.table.Group, row.ID); err != nil {
		return p.errorf("%v", err)
	}
	if first, ok := p.rows[row.ID]; ok {
		return p.errorf("row %s is already on line %d", row.ID, first)
	}
	p.rows[row.ID] = p.line
	for i, column := range p.table.Columns {
		cell, err := ParseCell(texts[i+1])
		if err == nil {
			err = p.vocab[column].check(cell)
		}
		if err != nil {
			return p.errorf("%s: %v", column, err)
		}
		row.Cells = append(row.Cells, cell)
	}
	p.table.Rows = append(p.table.Rows, row)
	return nil
}

// split cuts a line of the table at each | that no backslash takes literally,
// and removes the padding.
func (p *parser) split(line string) ([]string, error) {
	line = trimPadding(line)
	var cells []string
	start := 1
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, trimPadding(line[start:i]))
			start = i + 1
		}
	}
	if line == "" || line[0] != '|' || len(cells) == 0 || start != len(line) {
		return nil, p.errorf("not a line of a table: it begins and ends with |")
	}
	if len(cells) > MaxColumns {
		return nil, p.errorf("%d cells in a line: at most %d", len(cells), MaxColumns)
	}
	return cells, nil
}

package golden

import (
	"fmt"
	"regexp"
	"slices"
)

// Table is a golden table: what the cases of one group are expected to show.
type Table struct {
	Group  string // also the file's name, and what every row's ID begins with
	Title  string // what the group is about; may be empty
	Source string // what it rests on: an RFC section, a man page; may be empty

	// Columns are the names of the columns after the first, which is always id.
	Columns []string
	Rows    []Row

	// File is the name that the table was parsed under and Line the line of its
	// header, counted from 1. Empty and zero in a table that was not parsed.
	File string
	Line int
}

// Row is what one case is expected to show.
type Row struct {
	ID    string // group/case
	Cells []Cell // one for each of the table's Columns
	Line  int    // in the table's file, counted from 1; zero where it was not parsed
}

// Run is what running a group gave: once, or several times with the values of
// each row merged by [Union].
type Run struct {
	Group, Title, Source string // as in Table

	// Columns are the columns of the group, without id, in the order in which a
	// table shows them.
	Columns []string

	// Numeric are those of them that Update records as a range where several
	// integers were seen.
	Numeric []string

	// Rows are the selected cases in the group's order.
	Rows []Observed

	// Complete: every case of the group was selected, so that a golden row
	// which is not among Rows has no case.
	Complete bool
}

// Observed is what one case showed.
type Observed struct {
	ID string

	// Skipped: this machine cannot run the case. NotSeen: the outcome that the
	// row stands for did not occur this time. Neither is compared or recorded.
	Skipped, NotSeen bool

	// Cells holds the distinct values seen, by column; no value counts as the
	// empty one. Cells of columns that the Run does not have are ignored.
	Cells map[string][]string
}

// measured reports whether o has cells to compare.
func (o Observed) measured() bool { return !o.Skipped && !o.NotSeen }

// Limits of a golden file. A larger one is refused, in reading and in writing.
const (
	MaxBytes   = 1 << 20
	MaxLine    = 64 << 10 // bytes of one line
	MaxRows    = 10_000
	MaxColumns = 64 // id included
)

// idColumn is the first column of every table.
const idColumn = "id"

var (
	groupName  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	caseName   = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,127}(/[a-z0-9][a-z0-9._-]{0,127}){0,3}$`)
	columnName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// checkColumns returns what is wrong with the columns of a table, or nil.
func checkColumns(columns []string) error {
	if len(columns)+1 > MaxColumns {
		return fmt.Errorf("%d columns: at most %d", len(columns)+1, MaxColumns)
	}
	for i, c := range columns {
		switch {
		case !columnName.MatchString(c):
			return fmt.Errorf("column %s: a column is named in lower_snake", quote(c))
		case c == idColumn || slices.Contains(columns[:i], c):
			return fmt.Errorf("column %s is there twice", c)
		}
	}
	return nil
}

// checkID returns what is wrong with the ID of a row of a group, or nil.
func checkID(group, id string) error {
	prefix := group + "/"
	if len(id) > len(prefix) && id[:len(prefix)] == prefix && caseName.MatchString(id[len(prefix):]) {
		return nil
	}
	return fmt.Errorf("id %s: a row of this table is named %s<case>", quote(id), prefix)
}

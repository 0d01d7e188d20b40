package golden

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Cell is what a golden table expects of one column of one row: one of some
// values, an integer range, or anything. It is immutable. The zero Cell expects
// the empty value.
type Cell struct {
	kind     cellKind
	values   []string // of kindValues; nil stands for the empty value alone
	min, max int64    // of kindRange
}

type cellKind uint8

const (
	kindValues cellKind = iota
	kindRange
	kindAny
)

// alternative stands between the values of a cell.
const alternative = " or "

var rangeText = regexp.MustCompile(`^(-?[0-9]+)\.\.(-?[0-9]+)$`)

// Values returns a cell that expects one of values, in the order given and each
// once. Without a value it expects the empty one.
func Values(values ...string) Cell {
	var distinct []string
	for _, v := range values {
		if !slices.Contains(distinct, v) {
			distinct = append(distinct, v)
		}
	}
	if len(distinct) == 1 && distinct[0] == "" {
		distinct = nil
	}
	return Cell{values: distinct}
}

// Range returns a cell that expects an integer from the smaller of a and b to
// the larger, both included.
func Range(a, b int64) Cell {
	return Cell{kind: kindRange, min: min(a, b), max: max(a, b)}
}

// Any returns the cell that agrees with everything.
func Any() Cell { return Cell{kind: kindAny} }

// Agrees reports whether every observed value is one that c expects. No
// observed value counts as the empty one, so that a column nobody filled in
// does not agree by default.
func (c Cell) Agrees(observed []string) bool {
	if len(observed) == 0 {
		observed = []string{""}
	}
	for _, v := range observed {
		if !c.expects(v) {
			return false
		}
	}
	return true
}

func (c Cell) expects(v string) bool {
	switch c.kind {
	case kindAny:
		return true
	case kindRange:
		n, ok := integer(v)
		return ok && c.min <= n && n <= c.max
	}
	return slices.Contains(c.alternatives(), v)
}

// Equal reports whether c and d expect the same and are written the same.
func (c Cell) Equal(d Cell) bool {
	return c.kind == d.kind && c.min == d.min && c.max == d.max && slices.Equal(c.values, d.values)
}

// Alternatives returns the values that c expects, the empty one as "". It is nil
// for a range and for *.
func (c Cell) Alternatives() []string {
	if c.kind != kindValues {
		return nil
	}
	return slices.Clone(c.alternatives())
}

// String returns c for a person to read: as in the file, but without escapes.
// It may hold control characters, as the values do.
func (c Cell) String() string {
	return c.text(func(v string) string {
		if v == "" {
			return "-"
		}
		return v
	})
}

// encode returns c as it stands in the file, without the padding.
func (c Cell) encode() string { return c.text(encodeValue) }

func (c Cell) text(value func(string) string) string {
	switch c.kind {
	case kindAny:
		return "*"
	case kindRange:
		return fmt.Sprintf("%d..%d", c.min, c.max)
	}
	var texts []string
	for _, v := range c.alternatives() {
		texts = append(texts, value(v))
	}
	return strings.Join(texts, alternative)
}

// alternatives returns the values of a cell of kindValues; never none.
func (c Cell) alternatives() []string {
	if len(c.values) == 0 {
		return []string{""}
	}
	return c.values
}

// ParseCell reads a cell in the notation of the package documentation, with or
// without padding. The error says what is wrong, without a position.
func ParseCell(text string) (Cell, error) {
	text = trimPadding(text)
	switch {
	case text == "":
		return Cell{}, errors.New("empty cell: an empty value is written -")
	case text == "*":
		return Any(), nil
	case rangeText.MatchString(text):
		return parseRange(text)
	}
	var values []string
	for part := range strings.SplitSeq(text, alternative) {
		v, err := decodeValue(part)
		if err != nil {
			return Cell{}, err
		}
		if slices.Contains(values, v) {
			return Cell{}, fmt.Errorf("%s is listed twice", quote(part))
		}
		values = append(values, v)
	}
	return Values(values...), nil
}

func parseRange(text string) (Cell, error) {
	ends := rangeText.FindStringSubmatch(text)
	low, ok := integer(ends[1])
	high, ok2 := integer(ends[2])
	if !ok || !ok2 {
		return Cell{}, fmt.Errorf("range %s: both ends must be plain integers of 64 bits", quote(text))
	}
	if low > high {
		return Cell{}, fmt.Errorf("range %s: the first end is the larger", quote(text))
	}
	return Range(low, high), nil
}

// integer reads the one spelling of an integer: no plus sign, no leading zero.
func integer(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

package explain

import (
	"strings"
	"sync"
)

// book is the compiled knowledge. It is made once and never changes.
type book struct {
	tables   []Table
	entries  []compiled
	literals []literal
	scanner  *scanner
	anchored [][]uint16 // by literal: the entries that it is an anchor of
	marked   []int16    // by literal: the table it is a mark of, else -1
}

// literal is one text that is looked for.
type literal struct {
	text        string
	exact       bool // letters must be of the same case
	left, right bool // may not begin, or end, inside a word
}

// compiled is an entry with its literals by number.
type compiled struct {
	*Entry
	table   int16
	rank    Rank
	anchor  []uint16
	clauses []clause
}

// clause is a condition besides the anchor: one of lits must be there.
type clause struct {
	lits []uint16
	mode clauseMode
}

type clauseMode uint8

const (
	anywhere clauseMode = iota
	follows             // closely after the anchor
	absent
)

// knowledge compiles the tables on first use.
var knowledge = sync.OnceValue(func() *book { return compile(allTables()) })

func compile(tables []Table) *book {
	c := newCompiler(tables)
	for t := range tables {
		for _, m := range tables[t].Marks {
			for _, spec := range strings.Split(m, "|") {
				c.marked[c.literal(spec)] = int16(t)
			}
		}
		for i := range tables[t].Entries {
			c.add(int16(t), &tables[t].Entries[i])
		}
	}
	c.scanner = newScanner(c.lowered, 1)
	return c.book
}

// compiler numbers literals while it reads the tables.
type compiler struct {
	*book
	numbers map[string]uint16
	lowered []string // by literal
}

// about is how many literals there are, so that there is room for them.
const about = 5000

func newCompiler(tables []Table) *compiler {
	return &compiler{
		book: &book{
			tables: tables, literals: make([]literal, 0, about),
			anchored: make([][]uint16, 0, about), marked: make([]int16, 0, about),
		},
		numbers: make(map[string]uint16, about), lowered: make([]string, 0, about),
	}
}

func (c *compiler) add(table int16, e *Entry) {
	n := uint16(len(c.entries))
	out := compiled{Entry: e, table: table, rank: e.Rank}
	if out.rank == 0 {
		out.rank = defaultRank(e.Role)
	}
	for i, element := range e.Match {
		mode := anywhere
		switch element[0] {
		case '!':
			mode, element = absent, element[1:]
		case '~':
			mode, element = follows, element[1:]
		}
		lits := c.alternatives(element)
		if i > 0 {
			out.clauses = append(out.clauses, clause{lits, mode})
			continue
		}
		out.anchor = lits
		for _, l := range lits {
			c.anchored[l] = append(c.anchored[l], n)
		}
	}
	c.entries = append(c.entries, out)
}

func defaultRank(r Role) Rank {
	switch r {
	case Wrapper:
		return rankWrapper
	case Clue:
		return clueRead
	case Foreign:
		return rankForeign
	}
	return rankCause
}

func (c *compiler) alternatives(element string) []uint16 {
	var lits []uint16
	for _, spec := range strings.Split(element, "|") {
		lits = append(lits, c.literal(spec))
	}
	return lits
}

// literal is the number of the literal that spec describes.
func (c *compiler) literal(spec string) uint16 {
	if n, ok := c.numbers[spec]; ok {
		return n
	}
	l := literal{text: strings.Trim(spec, "*")}
	low := strings.ToLower(l.text)
	l.exact = low != l.text
	l.left = !strings.HasPrefix(spec, "*") && isWord(l.text[0])
	l.right = !strings.HasSuffix(spec, "*") && isWord(l.text[len(l.text)-1])
	n := uint16(len(c.literals))
	c.numbers[spec] = n
	c.literals, c.lowered = append(c.literals, l), append(c.lowered, low)
	c.anchored = append(c.anchored, nil)
	c.marked = append(c.marked, -1)
	return n
}

// isWord tells whether c is of the bytes that make up words and numbers.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// stands tells whether a hit of the scanner, which ignores case and words, is
// one of the literal.
func (l *literal) stands(norm []byte, at int) bool {
	end := at + len(l.text)
	switch {
	case l.exact && string(norm[at:end]) != l.text:
		return false
	case l.left && at > 0 && isWord(norm[at-1]):
		return false
	case l.right && end < len(norm) && isWord(norm[end]):
		return false
	}
	return true
}

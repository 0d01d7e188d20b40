package golden

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SyntaxError says what is wrong with a golden file, and where.
type SyntaxError struct {
	File string
	Line int // counted from 1
	Msg  string
}

// Error returns file:line: what is wrong, on one line and without control
// characters.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d: %s", printable(e.File), e.Line, printable(e.Msg))
}

// intro stands above every table; what the table rests on may follow it.
const (
	intro       = "Golden table of retry-lab, recorded from real runs by `retry-lab golden update`."
	introSource = " Source: "
)

// Parse reads a golden file; name is what messages call it. It refuses every
// column, word, line or escape that it does not know with a *SyntaxError, and
// wraps an error of r. It reads at most MaxBytes and one more.
func Parse(name string, r io.Reader, vocab Vocabulary) (Table, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return Table{}, fmt.Errorf("cannot read golden table %s: %w", printable(name), plainCause(err))
	}
	text, tooLong := string(data), len(data) > MaxBytes
	p := parser{file: name, vocab: vocab, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n"), rows: map[string]int{}}
	if tooLong {
		p.line = len(p.lines)
		return Table{}, p.errorf("the file is larger than %d bytes", MaxBytes)
	}
	for _, step := range []func() error{p.title, p.intro, p.header, p.delimiter, p.body} {
		if err := step(); err != nil {
			return Table{}, err
		}
	}
	p.table.File = name
	return p.table, nil
}

type parser struct {
	file  string
	vocab Vocabulary
	lines []string
	line  int            // number of the line read last
	rows  map[string]int // line of each row's ID
	table Table
}

func (p *parser) errorf(format string, args ...any) error {
	return &SyntaxError{File: p.file, Line: max(p.line, 1), Msg: fmt.Sprintf(format, args...)}
}

// next returns the next line; ok is false at the end.
func (p *parser) next() (line string, ok bool, err error) {
	if p.line == len(p.lines) {
		return "", false, nil
	}
	line = strings.TrimSuffix(p.lines[p.line], "\r") // a checkout may turn LF into CRLF
	p.line++
	if len(line) > MaxLine {
		return "", false, p.errorf("the line is longer than %d bytes", MaxLine)
	}
	if !utf8.ValidString(line) {
		return "", false, p.errorf("the line is not UTF-8")
	}
	if i := strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(line[i:])
		return "", false, p.errorf(`character %U is not allowed: it is written \u{%x}`, r, r)
	}
	return line, true, nil
}

// nextText returns the next line that is not blank, or says what is missing.
func (p *parser) nextText(missing string) (string, error) {
	for {
		line, ok, err := p.next()
		if err != nil {
			return "", err
		}
		if !ok {
			return "", p.errorf("the file ends before %s", missing)
		}
		if strings.Trim(line, " ") != "" {
			return line, nil
		}
	}
}

func (p *parser) title() error {
	line, err := p.nextText("its title, # group: what it is about")
	if err != nil {
		return err
	}
	head, ok := strings.CutPrefix(line, "# ")
	if !ok {
		return p.errorf("not a title: want # group: what it is about")
	}
	group, title, _ := strings.Cut(head, ":")
	if !groupName.MatchString(group) {
		return p.errorf("group %s: a group is named in lower-case letters, digits and -", quote(group))
	}
	p.table.Group = group
	p.table.Title, err = decodeText(trimPadding(title))
	if err != nil {
		return p.errorf("title: %v", err)
	}
	return nil
}

func (p *parser) intro() error {
	line, err := p.nextText("the line that says what it is")
	if err != nil {
		return err
	}
	rest, ok := strings.CutPrefix(line, intro)
	if !ok {
		return p.errorf("want the line %s", quote(intro))
	}
	if rest = trimPadding(rest); rest == "" {
		return nil
	}
	source, ok := strings.CutPrefix(rest, strings.TrimLeft(introSource, " "))
	if !ok {
		return p.errorf("want nothing or a source after %s, not %s", quote(intro), quote(rest))
	}
	p.table.Source, err = decodeText(trimPadding(source))
	if err != nil {
		return p.errorf("source: %v", err)
	}
	return nil
}

package explain

import (
	"bytes"
)

// readLines splits the input and makes its normal form.
func (r *reading) readLines(input []byte) []line {
	r.norm, r.lines = r.norm[:0], r.lines[:0]
	traceback := false // the exception that ends it is yet to come
	linked := false    // what comes is the same failure once more
	for from, next := 0, 0; from <= len(input); from = next {
		var to int
		if to, next = lineBreak(input, from); len(r.lines) >= mostLines {
			to, next = len(input), len(input)+1
		}
		text := input[from:to]
		l := line{from: from, to: to, norm: len(r.norm), continues: continues(text)}
		text = text[quotation(text):]
		if l.continues {
			text = text[prefixOf(text):]
			var room [headBytes]byte
			head := headOf(room[:0], text)
			begins := inTraceback(head) && (!traceback || bytes.HasPrefix(head, []byte(tracebackHead)))
			l.continues = !begins || linked
			traceback, linked = traceback || begins, linked || links(head)
		} else if traceback || linked {
			l.continues, traceback, linked = true, false, false
		} else if n := len(r.lines); n > 0 && unfinished(input[r.lines[n-1].from:r.lines[n-1].to]) {
			l.continues = !startsWithTime(text)
		}
		if n := len(r.lines); n == 0 || !r.broken(input[r.lines[n-1].from:r.lines[n-1].to], text) {
			r.norm = blank(r.norm)
			l.norm = len(r.norm)
		} else {
			l.continues = true
		}
		r.norm = normalize(r.norm, text)
		r.lines = append(r.lines, l)
	}
	return r.lines
}

// lineBreak is where the line that begins at from ends, and where the next
// one begins. An end of line that is written as an escape is one too: a log
// holds a whole stack in one of its own lines so.
func lineBreak(input []byte, from int) (to, next int) {
	to, next = len(input), len(input)+1
	if i := bytes.IndexByte(input[from:], '\n'); i >= 0 {
		to, next = from+i, from+i+1
	}
	if i := bytes.Index(input[from:to], []byte(`\n`)); i >= 0 {
		to, next = from+i, from+i+2
		for to > from && input[to-1] == '\\' {
			to--
		}
	}
	return to, next
}

const (
	leastWrap   = 40 // a terminal is not narrower
	wrapAround  = 48 // bytes on each side of a break that are looked at
	leastAcross = 10 // of a literal that is to join two lines
)

// broken tells whether a line was broken inside a word: one of the literals
// stands across the break, with nothing between its halves.
func (r *reading) broken(before, after []byte) bool {
	if len(before) < leastWrap || len(after) == 0 || after[0] == ' ' || before[len(before)-1] == ' ' {
		return false
	}
	r.around = normalize(r.around[:0], before[max(0, len(before)-wrapAround):])
	middle := int32(len(r.around))
	r.around = normalize(r.around, after[:min(len(after), wrapAround)])
	r.aroundLow = lower(r.aroundLow[:0], r.around)
	for _, h := range r.book.scanner.scan(r.aroundLow, r.hits[:0]) {
		l := &r.book.literals[h.lit]
		end := h.at + int32(len(l.text))
		if len(l.text) >= leastAcross && h.at < middle && end > middle && l.stands(r.around, int(h.at)) {
			return true
		}
	}
	return false
}

func (r *reading) normEnd(lines []line, to int) int {
	if to < len(lines) {
		return lines[to].norm
	}
	return len(r.norm)
}

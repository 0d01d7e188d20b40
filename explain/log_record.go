package explain

import (
	"bytes"
)

const (
	recordBytes = 16 << 10 // of one record that are read, before and after the word that was found
	recordLines = 200
	textBytes   = 512 // of one record that are shown
)

// search finds the chunk's own records.
func (c *chunk) search(r *reading, o *LogOptions) {
	s := sieve()
	end := 0 // of the last record
	for at := c.from; at < c.to; {
		hit := s.next(c.buf, at)
		if hit < 0 || hit >= c.to {
			return
		}
		from, to := c.record(hit)
		at = max(to, hit+1)
		if from < end {
			continue // the rest of one that was read
		}
		end = to
		if from < c.from && c.hitBefore(s, from) {
			continue // the chunk before this one reads it
		}
		if f := r.one(c.buf[from:to]); f != nil {
			c.add(f, from, to, o)
		}
	}
}

// hitBefore tells whether a phrase stands between the record's begin and the
// chunk's own part.
func (c *chunk) hitBefore(s *scanner, from int) bool {
	hit := s.next(c.buf[:c.from], from)
	return hit >= 0
}

// record is the lines of the record that holds the place: back to the line
// that began it, and on to the last that continues it.
func (c *chunk) record(at int) (from, to int) {
	from = lineBegin(c.buf, at)
	to = lineEnd(c.buf, at)
	least, most := max(0, at-recordBytes), min(len(c.buf), at+recordBytes)
	from = c.back(from, least)
	if head := c.traceback(from, least); head < from {
		from = c.logged(head, least)
	}
	to = c.on(from, at, to, most)
	return max(from, least), min(to, most)
}

// back is the line that began the record of the line at from.
func (c *chunk) back(from, least int) int {
	for n := 0; n < recordLines && from > least && continues(c.line(from)); n++ {
		from = lineBegin(c.buf, from-1)
	}
	return from
}

// logged is the begin of the record of a traceback: the line that logged it,
// if that is what stands before it, and not the end of something else.
func (c *chunk) logged(head, least int) int {
	if head <= least {
		return head
	}
	before := lineBegin(c.buf, head-1)
	line := c.line(before)
	switch {
	case blankLine(line):
		return c.back(head, least)
	case continues(line):
		return head // a stack
	case before > least && !startsWithTime(line):
		if end := c.line(lineBegin(c.buf, before-1)); continues(end) && !blankLine(end) {
			return head // the exception behind a stack
		}
	}
	return before
}

func blankLine(line []byte) bool { return len(bytes.TrimSpace(line)) == 0 }

// on is where the lines end that continue the record of the line at hit, which
// ends at to: also the exception that ends a traceback.
func (c *chunk) on(from, hit, to, most int) int {
	seen := bytes.Contains(c.buf[from:to], []byte(tracebackHead))
	open := seen && continues(c.line(lineBegin(c.buf, hit)))
	stack, linked := false, false // of something else; what comes is of the same failure
	for n := 0; n < recordLines && to < most; n++ {
		line := c.line(to)
		switch {
		case bytes.Contains(line, []byte(tracebackHead)):
			if stack || seen && !linked {
				return to
			}
			open, seen, linked = true, true, false
		case continues(line):
			stack = stack || !seen && !blankLine(line)
			linked = linked || links(line)
		case open && !startsWithTime(line):
			open = false
		default:
			return to
		}
		to = lineEnd(c.buf, to)
	}
	return to
}

// line is the line that begins at from, without its end.
func (c *chunk) line(from int) []byte {
	line := c.buf[from:min(len(c.buf), from+256)]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	return line
}

// traceback goes back to the line that begins Python's traceback, where the
// line at from ends one.
func (c *chunk) traceback(from, least int) int {
	if from == 0 || startsWithTime(c.line(from)) {
		return from
	}
	at := from
	for n := 0; n < recordLines && at > least; n++ {
		at = lineBegin(c.buf, at-1)
		line := c.line(at)
		if bytes.HasPrefix(line, []byte(tracebackHead)) {
			return at
		}
		if len(line) > 0 && line[0] != ' ' && line[0] != '\t' {
			return from
		}
	}
	return from
}

// lineBegin is the begin of the line that holds at.
func lineBegin(b []byte, at int) int {
	return bytes.LastIndexByte(b[:at], '\n') + 1
}

// lineEnd is the begin of the line after the one that holds at.
func lineEnd(b []byte, at int) int {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(b)
}

// one reads a text that is one record; nil where it names no failure.
func (r *reading) one(text []byte) *finding {
	r.norm, r.lines = r.norm[:0], r.lines[:0]
	for len(text) > 0 {
		end := lineEnd(text, 0)
		body := text[:end]
		if len(r.norm) > 0 {
			body = body[prefixOf(body):]
		}
		r.norm = blank(r.norm)
		r.lines = append(r.lines, line{norm: len(r.norm), continues: len(r.lines) > 0})
		r.norm = normalize(r.norm, body)
		text = text[end:]
	}
	r.scan()
	f := r.find(0, len(r.norm))
	if f == nil || f.code == "UNKNOWN" {
		return nil
	}
	return f
}

// add notes a record.
func (c *chunk) add(f *finding, from, to int, o *LogOptions) {
	text := c.buf[from:to]
	f.to = to - from
	rec := LogRecord{Offset: c.base + int64(from), Time: timeOf(text, o.Now), Answer: f.answer()}
	rec.text = bytes.TrimRight(text[:min(len(text), 2*textBytes+quoteAhead)], "\r\n")
	c.found = append(c.found, rec)
}

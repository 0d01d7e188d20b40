package explain

import (
	"bytes"
)

// parts are the lines at which a new failure begins, the first line always.
// A line begins one where it names a cause of its own, the lines before it did
// so too, and no word links the two.
func (r *reading) parts(input []byte, lines []line) []int {
	parts := []int{0}
	if len(lines) == 1 {
		return parts
	}
	var last *finding // what the lines before named
	linked := false
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && lines[end].continues {
			end++
		}
		if f := r.named(lines[i].norm, r.normEnd(lines, end)); f != nil {
			again := last != nil && (last.saysAsMuchAs(f) || last.entry.Role == Foreign) && !startsWithTime(input[lines[i].from:lines[i].to])
			if last != nil && !linked && !again && !lines[i].continues && len(parts) < mostRecords {
				parts = append(parts, i)
			}
			last, linked = f, false
		}
		for _, l := range lines[i:end] {
			linked = linked || introduces(input[l.from:l.to])
		}
		i = end
	}
	return parts
}

// named is the failure that the range names by itself, nil where it names none.
func (r *reading) named(from, to int) *finding {
	if len(r.between(from, to)) == 0 {
		return nil
	}
	if f := r.find(from, to); f != nil && f.entry.rank >= rankTimer {
		return f
	}
	return nil
}

// saysAsMuchAs tells whether two findings can be one failure told twice.
func (f *finding) saysAsMuchAs(other *finding) bool {
	return f.code == other.code && (f.phase == other.phase || f.certainty == Open || other.certainty == Open) &&
		f.outcome.failure.Processed == other.outcome.failure.Processed && f.outcome.post == other.outcome.post && !different(f, other)
}

// tracebackHead begins every Python traceback.
const tracebackHead = "Traceback (most recent"

// inTraceback tells whether a line is of a Python traceback.
func inTraceback(text []byte) bool {
	text = bytes.TrimLeft(text, " \t")
	return bytes.HasPrefix(text, []byte(tracebackHead)) || bytes.HasPrefix(text, []byte("File \""))
}

// introduces tells whether a line is the heading of the cause that follows.
func introduces(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text[prefixOf(text):], " \t"), []byte("Inner Exception")) ||
		bytes.HasSuffix(bytes.TrimRight(text, "\r "), []byte("with root cause"))
}

// links tells whether a line says that what follows it wraps, or is wrapped
// by, what stands before it.
func links(text []byte) bool {
	text = bytes.TrimLeft(text[prefixOf(text):], " \t")
	return bytes.HasPrefix(text, []byte("During handling of")) || bytes.HasPrefix(text, []byte("The above exception"))
}

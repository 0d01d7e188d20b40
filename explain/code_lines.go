package explain

import (
	"bytes"
	"strings"
)

// codeLine is how a line of source, of configuration or of a list of changes
// begins, and the bytes with one of which it then ends; any, where there are
// none.
type codeLine struct{ begin, ends string }

var codeLines = [...]codeLine{
	{"if (", "{};)"}, {"} else if (", "{};)"}, {"else if (", "{};)"}, {"elif ", ":"}, {"catch (", "{}"}, {"} catch ", "{}"},
	{"except ", ":"}, {"case ", ":"}, {"switch ", "{"}, {"const ", ";[{(,"}, {"let ", ";[{(,"}, {"var ", ";[{(,"}, {"func ", "{}"},
	{"def ", ":"}, {"throw new ", ";"}, {"public ", "{;"}, {"private ", "{;"}, {"static ", "{;"}, {"import ", ";"}, {"rescue ", ""},
	{"expect(", ";)"}, {"assert ", ";)"}, {"assert.", ";)"}, {"// ", ""}, {"proxy_", ";"},
	{"docs: ", ""}, {"feat: ", ""}, {"fix: ", ""}, {"chore: ", ""}, {"refactor: ", ""}, {"docs(", ""}, {"feat(", ""}, {"fix(", ""},
	{"chore(", ""}, {"refactor(", ""}, {"Fixed: ", ""}, {"Added: ", ""}, {"Changed: ", ""},
}

// longestCode bounds the lines that are looked at: source is not so long.
const longestCode = 300

// isCode tells whether a line is source or about it: the names of errors in it
// tell of no failure.
func isCode(line []byte) bool {
	if len(line) > longestCode {
		return false
	}
	line = bytes.TrimSpace(line)
	for i := range codeLines {
		c := &codeLines[i]
		if len(line) > len(c.begin) && line[0] == c.begin[0] && string(line[:len(c.begin)]) == c.begin {
			return c.ends == "" || strings.IndexByte(c.ends, line[len(line)-1]) >= 0
		}
	}
	return false
}

// dropCode takes out the hits that are in lines of source.
func (r *reading) dropCode() {
	kept, end, code := r.hits[:0], int32(-1), false
	for _, h := range r.hits {
		if h.at > end {
			from := bytes.LastIndexByte(r.norm[:h.at], '\n') + 1
			n := bytes.IndexByte(r.norm[h.at:], '\n')
			if n < 0 {
				n = len(r.norm) - int(h.at)
			}
			end = h.at + int32(n)
			code = isCode(r.norm[from:end])
		}
		if !code {
			kept = append(kept, h)
		}
	}
	r.hits = kept
}

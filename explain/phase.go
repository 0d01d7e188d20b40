package explain

import (
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// place finds how far the call had come.
func (f *finding) place(r *reading, main *match, matches []match) {
	e := f.entry
	f.phase, f.certainty = e.Phase, Proved
	if f.phase == classifier.PhaseUnknown {
		f.certainty = Open
	}
	if f.phase != "" {
		return
	}
	clue := f.clue(r, main, matches)
	switch {
	case f.status != 0 && f.code != classifier.Proxy:
		f.phase = classifier.PhaseAnswered
	case clue != nil:
		f.phase = clue.Phase
		if clue.Syscall != "" && f.fails(clue) {
			f.call = clue.Syscall
		}
	case e.Usually != "":
		f.phase, f.certainty = e.Usually, Likely
	default:
		f.phase, f.certainty = classifier.PhaseUnknown, Open
	}
}

// clue is the strongest clue. One that would prove that nothing was sent has
// to stand with the failure: other lines may be about other attempts. And
// where the failure's own line says that it was a read or a write, the lines
// around it cannot make it a failed connect.
func (f *finding) clue(r *reading, main *match, matches []match) *compiled {
	line, block := r.surroundings(int(main.at))
	established := false
	for _, m := range matches {
		established = established || m.entry.Role == Clue && r.standsIn(m.entry, line) &&
			(m.entry.Syscall == classifier.Read || m.entry.Syscall == classifier.Write)
	}
	var clue *compiled
	for _, m := range matches {
		if m.entry.Role != Clue || !f.accepts(m.entry) || clue != nil && m.entry.rank <= clue.rank {
			continue
		}
		if impliedBy(m.entry.Phase) == classifier.Never {
			near := block
			if established && m.entry.Phase != classifier.PhaseTLS {
				near = line
			}
			if !r.standsIn(m.entry, near) {
				continue
			}
		}
		clue = m.entry
	}
	return clue
}

// stretch is a range of the normal form.
type stretch struct{ from, to int }

// surroundings are the line that holds the place, and that line with the ones
// that it continues or that continue it.
func (r *reading) surroundings(at int) (own, block stretch) {
	i, found := slices.BinarySearchFunc(r.lines, at, func(l line, at int) int { return l.norm - at })
	if !found {
		i--
	}
	if i < 0 || i >= len(r.lines) {
		all := stretch{0, len(r.norm)}
		return all, all
	}
	first, last := i, i+1
	for first > 0 && r.lines[first].continues {
		first--
	}
	for last < len(r.lines) && r.lines[last].continues {
		last++
	}
	return stretch{r.lines[i].norm, r.normEnd(r.lines, i+1)}, stretch{r.lines[first].norm, r.normEnd(r.lines, last)}
}

// standsIn tells whether an anchor of the entry is in the stretch.
func (r *reading) standsIn(e *compiled, s stretch) bool {
	for _, h := range r.between(s.from, s.to) {
		if slices.Contains(e.anchor, uint16(h.lit)) {
			return true
		}
	}
	return false
}

// accepts tells whether a clue can be about this code.
func (f *finding) accepts(clue *compiled) bool {
	switch {
	case clue.Code != "" && clue.Code != f.code:
		return false
	case strings.Contains(string(f.code), "TLS"): // a word for dialling is about the connection below
		return clue.Phase == classifier.PhaseProxy || clue.Phase == classifier.PhaseTLS
	case f.code == "EPIPE": // only a write fails so
		return clue.Phase != classifier.PhaseAwait && clue.Phase != classifier.PhaseReadHead
	case clue.rank <= clueWeak && clue.Phase == classifier.PhaseConnect:
		return !f.anywhere()
	}
	return true
}

// anywhere tells whether the failure happens on a connection that is up as
// well as before: all but the errors of connect(2) and of this machine. "Unable
// to connect to the server" is then a wrapper's prose, which is printed for
// every failure of a call (kubectl, Stripe).
func (f *finding) anywhere() bool {
	switch f.code {
	case classifier.EOF, "ECONNRESET", "ECONNABORTED", "EPIPE":
		return true
	}
	return !strings.HasPrefix(string(f.code), "E")
}

// fails tells whether the code can be the failure of the clue's call: a clean
// close is the failure of none, and a timer only of one that a deadline ends.
func (f *finding) fails(clue *compiled) bool {
	switch f.code {
	case classifier.Timeout:
		return clue.Timed
	case classifier.EOF, classifier.Truncated, classifier.ConnClosed, classifier.Canceled:
		return false
	}
	return strings.HasPrefix(string(f.code), "E")
}

// settle lets code and phase agree: a clean close and a read's timer have
// other names inside a handshake, a clean close also inside an answer or a
// tunnel's making.
func (f *finding) settle() {
	switch {
	case f.code == classifier.EOF && f.phase == classifier.PhaseTLS:
		f.code = classifier.TLSEOF
	case f.code == classifier.EOF && f.phase == classifier.PhaseProxy: // as curl's "Proxy CONNECT aborted"
		f.code = classifier.Proxy
	case f.code == classifier.Timeout && f.phase == classifier.PhaseTLS && f.entry.Usually == classifier.PhaseAwait:
		f.code = classifier.TLSTimeout // a read's timer; that of the whole call keeps its name
	case f.code == classifier.EOF && (f.phase == classifier.PhaseReadBody || f.phase == classifier.PhaseReadHead):
		f.code = classifier.Truncated
	}
}

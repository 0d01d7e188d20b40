package explain

import (
	"strconv"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// finding is what the entries that fit one stretch of text add up to.
type finding struct {
	from, to int // bytes of the input
	entry    *compiled
	table    *Table
	gateway  bool // an intermediary's mark is in the text

	code      classifier.Code
	call      classifier.Syscall
	phase     classifier.Phase
	certainty Certainty
	processed classifier.Processed // empty: as code and phase imply
	like      classifier.Code
	status    int
	wait      bool
	waitMS    *int64
	earlier   bool // there were earlier attempts

	host, method string
	body         []byte // the text, for the words that a 409 explains itself with
	outcome      outcome
}

// find adds up the matches in a range of the normal form; nil where none of
// them names a failure.
func (r *reading) find(from, to int) *finding {
	matches := r.evaluate(from, to)
	votes := r.votes(matches, from, to)
	main := mainOf(matches, votes)
	if main == nil {
		return nil
	}
	e := main.entry
	f := &finding{entry: e, code: e.Code, call: e.Syscall, processed: e.Processed, like: e.Like, wait: e.Wait}
	r.readMain(f, main, matches)
	f.place(r, main, matches)
	f.settle()
	f.add(r, matches)
	f.table = r.tableOf(e, votes)
	f.host, f.method = locate(r.norm[from:to], r.low[from:to])
	f.body = r.norm[from:to]
	f.outcome = judge(f)
	f.body = nil
	return f
}

// mainOf is the match that names the failure: of the highest rank, and of
// those the last, which is the innermost in most runtimes. Where two runtimes
// use the same words, it is the one that shows itself elsewhere too.
func mainOf(matches []match, votes *votes) *match {
	var best *match
	for i := range matches {
		m := &matches[i]
		switch m.entry.Role {
		case Cause, Wrapper, Foreign:
			if best == nil || m.entry.rank > best.entry.rank || m.entry.rank == best.entry.rank && m.before(best, votes) {
				best = m
			}
		}
	}
	return best
}

// before tells whether m names the failure rather than another of its rank.
func (m *match) before(other *match, votes *votes) bool {
	if m.at < other.end && other.at < m.end {
		return votes[m.entry.table] > votes[other.entry.table]
	}
	return m.at > other.at
}

// readMain takes the code from what stands beside the anchor.
func (r *reading) readMain(f *finding, main *match, matches []match) {
	n := readBeside(r.norm, main.entry.Reads, int(main.at), int(main.end))
	switch main.entry.Reads {
	case statusAfter, statusBefore, statusIn, statusAlone, statusTimed:
		f.status = n
		if f.code == "" {
			f.code = classifier.HTTPPrefix + classifier.Code(strconv.Itoa(n))
		}
	case proxyAfter:
		f.status = n
		if n == 417 || n == 411 {
			f.like = classifier.HTTPPrefix + classifier.Code(strconv.Itoa(n))
		}
	case h2After:
		f.code = classifier.HTTP2Prefix + classifier.Code(h2Names[n-1])
	}
	if digits, ok := strings.CutPrefix(string(f.code), classifier.HTTPPrefix); ok && f.status == 0 {
		f.status, _ = strconv.Atoi(digits)
		f.stated(r, matches)
	}
}

// stated takes the status that another entry reads in the same record: the
// service's own code says what it means, the number is as sent.
func (f *finding) stated(r *reading, matches []match) {
	for _, m := range matches {
		switch m.entry.Reads {
		case statusAfter, statusBefore, statusIn, statusAlone, statusTimed:
			if n := readBeside(r.norm, m.entry.Reads, int(m.at), int(m.end)); n > 0 {
				f.status = n
				f.code = classifier.HTTPPrefix + classifier.Code(strconv.Itoa(n))
				return
			}
		}
	}
}

// add takes what the other matches say.
func (f *finding) add(r *reading, matches []match) {
	for _, m := range matches {
		switch m.entry.Role {
		case Earlier:
			f.earlier = true
		case Mark:
			f.gateway = true
		case Pause:
			if ms := readBeside(r.norm, m.entry.Reads, int(m.at), int(m.end)) - 1; ms >= 0 && (f.status != 0 || f.wait) {
				wait := int64(ms)
				f.waitMS = &wait
			}
		}
	}
}

// votes are the signs of each table in a record.
type votes [64]int

// votes counts the signs of each runtime: its marks, and its entries that fit.
func (r *reading) votes(matches []match, from, to int) *votes {
	v := &r.counts
	*v = votes{}
	for _, m := range matches {
		v[m.entry.table]++
	}
	for _, h := range r.between(from, to) {
		if t := r.book.marked[h.lit]; t >= 0 && r.first[h.lit] == h.at {
			v[t]++
		}
	}
	return v
}

// tableOf is the runtime that printed the text: the entry's, or the one with
// more signs of itself.
func (r *reading) tableOf(e *compiled, votes *votes) *Table {
	best := e.table
	for t := range r.book.tables {
		if r.book.tables[t].Runtime == "" {
			continue
		}
		if r.book.tables[best].Runtime == "" && votes[t] > 0 || votes[t] > votes[best] {
			best = int16(t)
		}
	}
	return &r.book.tables[best]
}

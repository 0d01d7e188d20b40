package explain

import (
	"slices"
	"sync"
)

// reading is one text while it is read: its normal form and the literals
// found in it. It is reused.
type reading struct {
	book *book
	norm []byte
	low  []byte
	hits []hit // sorted by place

	lines             []line
	around, aroundLow []byte // a break between lines

	// Of the range under evaluation, by literal: where it stands first and
	// last, valid where its round is the current one.
	round       uint32
	rounds      []uint32
	first, last []int32
	matches     []match
	looked      []uint32 // by entry: the round in which it was tried
	counts      votes
}

// match is an entry that fits, by the last place of its anchor.
type match struct {
	entry   *compiled
	at, end int32
}

var readings = sync.Pool{New: func() any {
	b := knowledge()
	return &reading{
		book:   b,
		rounds: make([]uint32, len(b.literals)),
		first:  make([]int32, len(b.literals)),
		last:   make([]int32, len(b.literals)),
		looked: make([]uint32, len(b.entries)),
	}
}}

// mostKept bounds the buffers that are kept for the next text.
const mostKept = 1 << 20

// release gives the reading back for the next text.
func (r *reading) release() {
	if cap(r.norm) > mostKept {
		r.norm, r.low, r.hits, r.lines = nil, nil, nil, nil
	}
	readings.Put(r)
}

// scan finds the literals of the normal form.
func (r *reading) scan() {
	r.low = lower(r.low[:0], r.norm)
	found := r.book.scanner.scan(r.low, r.hits[:0])
	r.hits = found[:0]
	for _, h := range found {
		if r.book.literals[h.lit].stands(r.norm, int(h.at)) {
			r.hits = append(r.hits, h)
		}
	}
	slices.SortFunc(r.hits, func(a, b hit) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return int(a.lit - b.lit)
	})
	r.dropCode()
}

// between is the hits that begin in the range.
func (r *reading) between(from, to int) []hit {
	place := func(h hit, at int) int { return int(h.at) - at }
	lo, _ := slices.BinarySearchFunc(r.hits, from, place)
	hi, _ := slices.BinarySearchFunc(r.hits, to, place)
	return r.hits[lo:hi]
}

// evaluate lists the entries that fit the range of the normal form. The list
// is valid until the next call.
func (r *reading) evaluate(from, to int) []match {
	hits := r.between(from, to)
	r.round++
	for _, h := range hits {
		if r.rounds[h.lit] != r.round {
			r.rounds[h.lit] = r.round
			r.first[h.lit] = h.at
		}
		r.last[h.lit] = h.at
	}
	r.matches = r.matches[:0]
	for _, h := range hits {
		if r.first[h.lit] != h.at {
			continue
		}
		for _, n := range r.book.anchored[h.lit] {
			if r.looked[n] != r.round {
				r.looked[n] = r.round
				r.try(&r.book.entries[n], hits)
			}
		}
	}
	r.dropCovered()
	return r.matches
}

// try appends the entry if all its literals are there.
func (r *reading) try(e *compiled, hits []hit) {
	at, lit := int32(-1), uint16(0)
	for _, l := range e.anchor {
		if r.rounds[l] == r.round && r.last[l] > at {
			at, lit = r.last[l], l
		}
	}
	if at < 0 {
		return
	}
	for _, c := range e.clauses {
		switch {
		case c.mode == follows:
			if at = r.followed(e, c, hits); at < 0 {
				return
			}
		case r.any(c.lits) == (c.mode == absent):
			return
		}
	}
	end := at + int32(len(r.book.literals[lit].text))
	if e.Reads != nothing && !r.reads(e, &at, &end, hits) {
		return
	}
	r.matches = append(r.matches, match{e, at, end})
}

func (r *reading) any(lits []uint16) bool {
	for _, l := range lits {
		if r.rounds[l] == r.round {
			return true
		}
	}
	return false
}

// closely is how far a literal may be from the anchor that it follows.
const closely = 240

// followed is the last anchor that a literal of the clause follows, or -1.
func (r *reading) followed(e *compiled, c clause, hits []hit) int32 {
	best := int32(-1)
	for i, h := range hits {
		if !slices.Contains(e.anchor, uint16(h.lit)) {
			continue
		}
		for _, next := range hits[i+1:] {
			if next.at > h.at+closely {
				break
			}
			if slices.Contains(c.lits, uint16(next.lit)) {
				best = h.at
				break
			}
		}
	}
	return best
}

// reads tells whether what the entry reads beside its anchor is there, and
// moves the place to the last anchor that has it.
func (r *reading) reads(e *compiled, at, end *int32, hits []hit) bool {
	for i := len(hits) - 1; i >= 0; i-- {
		h := hits[i]
		if !slices.Contains(e.anchor, uint16(h.lit)) {
			continue
		}
		stop := h.at + int32(len(r.book.literals[h.lit].text))
		if readBeside(r.norm, e.Reads, int(h.at), int(stop)) > 0 {
			*at, *end = h.at, stop
			return true
		}
	}
	return false
}

// dropCovered removes causes whose anchor is a part of another cause's: the
// longer words say more.
func (r *reading) dropCovered() {
	names := func(m match) bool { return m.entry.Role == Cause || m.entry.Role == Wrapper || m.entry.Role == Foreign }
	all := r.matches
	covered := func(m match) bool {
		for _, o := range all {
			if names(o) && o.at <= m.at && o.end >= m.end && o.end-o.at > m.end-m.at && o.entry.rank >= m.entry.rank {
				return true
			}
		}
		return false
	}
	kept := make([]match, 0, 16)
	for _, m := range all {
		if !names(m) || !covered(m) {
			kept = append(kept, m)
		}
	}
	r.matches = append(all[:0], kept...)
}

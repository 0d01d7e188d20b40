package explain

const (
	mostText    = 1 << 20 // of a text that are read whole
	windowBytes = 8 << 10 // around a known word, in a longer one
	mostWindows = 64
	endBytes    = 128 << 10 // of a longer one without any, at both ends
)

// window is a piece of a long text: where it stands in what is read, and where
// in the input.
type window struct{ at, from int }

// windows are the pieces of a long text, none where it is read whole.
type windows []window

// condense cuts a text that is too long to be read whole down to the
// surroundings of known words, or to its ends where it has none.
func condense(input []byte) ([]byte, windows) {
	if len(input) <= mostText {
		return input, nil
	}
	var text []byte
	var all windows
	add := func(from, to int) {
		all = append(all, window{len(text), from})
		text = append(append(text, input[from:to]...), '\n')
	}
	s := sieve()
	for at := 0; at < len(input) && len(all) < mostWindows; {
		hit := s.next(input, at)
		if hit < 0 {
			break
		}
		from, to := max(at, hit-windowBytes/2), min(len(input), hit+windowBytes)
		add(from, to)
		at = to
	}
	if len(all) == 0 {
		add(0, endBytes)
		add(len(input)-endBytes, len(input))
	}
	return text, all
}

// restore turns a range of what was read, of read bytes in all, into one of
// the input.
func (w windows) restore(r [2]int, read, whole int) [2]int {
	if len(w) == 0 {
		return r
	}
	if r == [2]int{0, read} {
		return [2]int{0, whole}
	}
	for i, at := range r {
		piece := w[0]
		for _, p := range w {
			if p.at <= at {
				piece = p
			}
		}
		r[i] = min(at-piece.at+piece.from, whole)
	}
	return r
}

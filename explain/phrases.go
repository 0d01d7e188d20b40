package explain

import (
	"slices"
	"strings"
	"sync"
)

// sieveStride: the literals looked for in logs have at least five bytes, so
// that it is enough to look at every second place.
const sieveStride = 2

// Phrases returns the literals that [Log] looks for, sorted: a line that has
// none of them is no failure to it. They are matched byte by byte, before
// anything is unescaped. The caller may keep and change the slice.
func Phrases() []string { return slices.Clone(phrases()) }

var phrases = sync.OnceValue(func() []string { return findPhrases(knowledge()) })

var sieve = sync.OnceValue(func() *scanner { return newScanner(phrases(), sieveStride) })

// findPhrases collects the anchors of what names a failure, in the cases in
// which they are written, without those that contain another.
func findPhrases(b *book) []string {
	all := map[string]bool{}
	for i := range b.entries {
		e := &b.entries[i]
		if e.Quiet || e.rank < rankName || e.Role != Cause && e.Role != Wrapper && e.Role != Foreign {
			continue
		}
		for _, n := range e.anchor {
			for _, spelling := range spellings(&b.literals[n]) {
				if len(spelling) >= shortest(sieveStride) {
					all[spelling] = true
				}
			}
		}
	}
	list := make([]string, 0, len(all))
	for p := range all {
		list = append(list, p)
	}
	slices.Sort(list)
	every := newScanner(list, sieveStride)
	return slices.DeleteFunc(slices.Clone(list), func(p string) bool { return every.holdsOther(p) })
}

// holdsOther tells whether p contains another of the literals.
func (s *scanner) holdsOther(p string) bool {
	for at := range p {
		for _, h := range s.scan([]byte(p[at:]), nil) {
			if l := s.literals[h.lit]; l != p {
				return true
			}
		}
	}
	return false
}

// spellings of a literal: as it is, and where case does not matter also as
// programs write it: with a capital first, with every word so, with the
// abbreviations of the trade in capitals.
func spellings(l *literal) []string {
	if l.exact {
		return []string{l.text}
	}
	words := strings.Split(l.text, " ")
	title, upper := slices.Clone(words), slices.Clone(words)
	for i, w := range words {
		title[i] = capital(w)
		if strings.Contains(abbreviations, " "+strings.Trim(w, ":()")+" ") {
			upper[i] = strings.ToUpper(w)
		}
	}
	all := []string{l.text, strings.Join(upper, " ")}
	if plainWord(words[0]) && len(words) > 1 {
		all = append(all, capital(l.text), capital(strings.Join(upper, " ")))
		if len(words) <= 3 {
			all = append(all, strings.Join(title, " "))
		}
	}
	return all
}

// abbreviations are written in capitals inside sentences.
const abbreviations = " ssl tls url http https tcp udp dns goaway rst_stream eof api json grpc "

// capital is w with its first letter in upper case.
func capital(w string) string {
	if w == "" || !isLetter(w[0]) {
		return w
	}
	return strings.ToUpper(w[:1]) + w[1:]
}

// plainWord tells whether w is a word of a sentence, and no name.
func plainWord(w string) bool {
	for i := range len(w) {
		if !isLetter(w[i]) && w[i] != '-' {
			return false
		}
	}
	return w != ""
}

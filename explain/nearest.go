package explain

import (
	"math"
	"strings"
	"sync"

	"github.com/retry-lab/retry-lab/classifier"
)

// unknown is the answer to what nothing recognises: never a guess, but the
// two entries that share most words with it.
func (r *reading) unknown(input []byte) Answer {
	host, method := locate(r.norm, r.low)
	return Answer{
		Range: [2]int{0, len(input)}, SaidBy: ByClient, Host: host, Method: method,
		Code: classifier.Unknown, Phase: classifier.PhaseUnknown, Processed: classifier.Maybe, Basis: classifier.Assumed,
		Certainty: Open, Get: CellUnknown, Post: CellUnknown, PostKey: CellUnknown,
		Reason: classifier.NotRecognised, Why: classifier.NotRecognised.Sentence(),
		Open: "what failed", Settle: "the whole error with its causes, unshortened",
		Nearest: nearest(r.book, r.low, ""),
	}
}

const (
	mostWords  = 64      // of an unknown text that are compared
	mostBytes  = 4 << 10 // of it that are looked at
	leastWord  = 4       // shorter words say nothing
	commonWord = 80      // a word of more entries says nothing
)

// wordIndex lists the entries by the words of their literals and examples.
var wordIndex = sync.OnceValue(func() map[string][]int {
	index := map[string][]int{}
	entries := knowledge().entries
	for i := range entries {
		if entries[i].Role != Cause && entries[i].Role != Wrapper {
			continue
		}
		text := strings.ToLower(strings.Join(entries[i].Match, " ") + " " + entries[i].Example)
		for _, w := range words(text) {
			if list := index[w]; len(list) == 0 || list[len(list)-1] != i {
				index[w] = append(list, i)
			}
		}
	}
	return index
})

// words are the words of a text that are long enough to say something.
func words(text string) []string {
	all := strings.FieldsFunc(text, func(c rune) bool { return c > 127 || !isWord(byte(c)) })
	kept := all[:0]
	for _, w := range all {
		if len(w) >= leastWord {
			kept = append(kept, w)
		}
	}
	return kept
}

// nearest are the IDs of the two entries that share most words with the text,
// rare words counting most, without the one that named it. Where it shares
// none, they are the first two.
func nearest(b *book, low []byte, named string) []string {
	index := wordIndex()
	scores := make([]float64, len(b.entries))
	for i := range b.entries {
		if b.entries[i].ID == named {
			scores[i] = math.Inf(-1)
		}
	}
	seen := map[string]bool{}
	for _, w := range words(string(low[:min(len(low), mostBytes)])) {
		if list := index[w]; !seen[w] && len(list) <= commonWord && len(seen) < mostWords {
			seen[w] = true
			for _, i := range list {
				scores[i] += 1 / float64(len(list))
			}
		}
	}
	best, second := 0, 1
	if scores[second] > scores[best] {
		best, second = second, best
	}
	for i := 2; i < len(scores); i++ {
		switch {
		case scores[i] > scores[best]:
			best, second = i, best
		case scores[i] > scores[second]:
			second = i
		}
	}
	return []string{b.entries[best].ID, b.entries[second].ID}
}

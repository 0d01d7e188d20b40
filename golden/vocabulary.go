package golden

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// Vocabulary is what the tables of a lab may say, by column. A column that is
// not in it is an error in a golden file. A nil Vocabulary checks neither
// columns nor words.
type Vocabulary map[string]Rule

// Rule is what a column may hold. The zero Rule allows any text.
type Rule struct {
	// Words are the allowed values; "" allows the empty one. Pattern allows more
	// values and has to match all of one. With neither, every value is allowed.
	Words   []string
	Pattern *regexp.Regexp

	// Single: a cell holds one value, neither alternatives nor a range nor *.
	// The columns of a verdict are so: where one fault leads to different
	// verdicts, each has a row of its own.
	Single bool
}

// check returns what is wrong with c, or nil.
func (r Rule) check(c Cell) error {
	if r.Single && (c.kind != kindValues || len(c.values) > 1) {
		return fmt.Errorf("%s: this column holds one value, it never varies within a row", quote(c.encode()))
	}
	switch c.kind {
	case kindAny:
		return nil
	case kindRange:
		return r.checkValues(fmt.Sprint(c.min), fmt.Sprint(c.max))
	}
	return r.checkValues(c.alternatives()...)
}

func (r Rule) checkValues(values ...string) error {
	for _, v := range values {
		if !r.allows(v) {
			return fmt.Errorf("unknown word %s: want %s", quote(encodeValue(v)), r)
		}
	}
	return nil
}

func (r Rule) allows(v string) bool {
	if r.Words == nil && r.Pattern == nil {
		return true
	}
	if slices.Contains(r.Words, v) {
		return true
	}
	if r.Pattern == nil {
		return false
	}
	longest := *r.Pattern // else a|ab would find only the a of ab
	longest.Longest()
	at := longest.FindStringIndex(v)
	return at != nil && at[0] == 0 && at[1] == len(v)
}

// String says what r allows, for a message: of a long list the first words.
func (r Rule) String() string {
	if r.Words == nil && r.Pattern == nil {
		return "any text"
	}
	const most = 12
	var forms []string
	for i, w := range r.Words {
		if i == most {
			forms = append(forms, fmt.Sprintf("… (%d words)", len(r.Words)))
			break
		}
		forms = append(forms, encodeValue(w))
	}
	if r.Pattern != nil {
		forms = append(forms, r.Pattern.String())
	}
	return strings.Join(forms, ", ")
}

// With returns a copy of v with the columns of more, which win.
func (v Vocabulary) With(more Vocabulary) Vocabulary {
	all := maps.Clone(v)
	if all == nil {
		all = Vocabulary{}
	}
	maps.Copy(all, more)
	return all
}

// Standard returns the columns that speak the classifier's vocabulary: code,
// syscall, phase, processed, basis, reason, and the answers get, post and
// post_key. The caller adds the columns of its own groups using With.
func Standard() Vocabulary {
	answer := Rule{Words: []string{"yes", "no", "modified", ""}, Single: true}
	return Vocabulary{
		"code":      {Words: words(classifier.Codes()...), Pattern: status},
		"syscall":   {Words: append(words(classifier.Syscalls()...), "")}, // none failed
		"phase":     {Words: words(classifier.Phases()...)},
		"processed": {Words: words(classifier.Never, classifier.Maybe, classifier.Yes)},
		"basis":     {Words: words(classifier.Guaranteed, classifier.Claimed, classifier.Assumed)},
		"reason":    {Words: words(classifier.Reasons()...)},
		"get":       answer,
		"post":      answer,
		"post_key":  answer,
	}
}

// status is the code of a response, which classifier.Codes leaves out.
var status = regexp.MustCompile(classifier.HTTPPrefix + `[1-9][0-9]{2}`)

func words[S ~string](values ...S) []string {
	var texts []string
	for _, v := range values {
		texts = append(texts, string(v))
	}
	return texts
}

package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// byMessage lists the rows by how their errors' texts end.
func (l lab) byMessage(b *strings.Builder) {
	found := map[string][]row{}
	for _, r := range l.own() {
		if r.judged == nil || r.answered() {
			continue
		}
		for _, message := range r.values("message") {
			end := stableTail(message)
			if end != "" && !slices.ContainsFunc(found[end], func(other row) bool { return other.id == r.id }) {
				found[end] = append(found[end], r)
			}
		}
	}
	mark(b, "by-message")
	b.WriteString("## By message\n\nHow the error's text ends, and may a bare POST be sent again? N is any number, \"…\" any text; " +
		"the end of an answer is [its code](#by-code).\n\n")
	for _, end := range sortedKeys(found, compareTexts) {
		fmt.Fprintf(b, "- %s — ", code(end))
		var links []string
		list := byRule(found[end])
		for _, p := range list {
			links = append(links, p.answer()+": "+p.links())
		}
		writeRule(b, verdictOf(list), links)
	}
	b.WriteByte('\n')
}

// answered: its message is a status line, and no error.
func (r row) answered() bool {
	return slices.ContainsFunc(r.values("code"), func(c string) bool { return strings.HasPrefix(c, classifier.HTTPPrefix) })
}

// verdictOf is what a text tells: one answer, or that it does not.
func verdictOf(list []part) string {
	var yes, no, alone int
	for _, p := range list {
		switch n := len(p.rows); {
		case p.says() == "no":
			no += n
		case p.rows[0].needsTrace():
			yes += n
		default:
			yes, alone = yes+n, alone+n
		}
	}
	if yes == 0 || no == 0 {
		return inShort(list, "")
	}
	said := fmt.Sprintf("**the text does not tell**: %s no, %s yes", count(no), count(yes))
	if alone == 0 {
		said += ", and that only by a trace"
	}
	return said
}

func compareTexts(x, y string) int {
	return cmp.Or(strings.Compare(strings.ToLower(x), strings.ToLower(y)), strings.Compare(x, y))
}

var (
	quoted  = regexp.MustCompile(`"[^"]*"`)
	numbers = regexp.MustCompile(`([ =])\d+([ ,;]|$)`)
)

// stableTail is the end of an error's text, which does not change from call to
// call: what follows the last colon, numbers as N and quoted texts as "…". What
// is only a value has the words before it too.
func stableTail(message string) string {
	parts := clauses(numbers.ReplaceAllString(quoted.ReplaceAllString(message, `"…"`), "${1}N${2}"))
	at := len(parts) - 1
	for at > 0 && (strings.HasPrefix(parts[at], `"`) || strings.Contains(parts[at], "TIME ")) {
		at--
	}
	return strings.Join(parts[at:], ": ")
}

// clauses splits a text at its colons, but for those in brackets.
func clauses(text string) []string {
	var parts []string
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case strings.ContainsRune("([", r):
			depth++
		case strings.ContainsRune(")]", r):
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], ": "):
			parts, from = append(parts, text[from:i]), i+len(": ")
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}

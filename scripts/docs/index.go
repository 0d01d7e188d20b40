package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

// A failed is what a client logs first: a code and the call that failed.
type failed struct{ code, syscall string }

func (f failed) String() string {
	if f.syscall == "" {
		return f.code
	}
	return f.code + ", " + f.syscall
}

// failed are the codes and calls of a row. Its cells hold each by itself, so
// where both have several, those go together that do in a row with one.
func (l lab) failed(r row) []failed {
	alone := map[failed]bool{}
	for _, other := range l.own() {
		codes, calls := other.values("code"), other.values("syscall")
		if len(codes) == 1 && len(calls) == 1 {
			alone[failed{codes[0], calls[0]}] = true
		}
	}
	var list []failed
	for _, code := range r.values("code") {
		var all, known []failed
		for _, call := range r.calls() {
			f := failed{code, call}
			all = append(all, f)
			if alone[f] {
				known = append(known, f)
			}
		}
		if known == nil {
			known = all
		}
		list = append(list, known...)
	}
	return list
}

// calls: a table of answers has no column for it.
func (r row) calls() []string {
	if list := r.values("syscall"); list != nil {
		return list
	}
	return []string{""}
}

// byCode lists the rows by what a client logs first, the rule before the rows.
func (l lab) byCode(b *strings.Builder) {
	found := map[failed][]row{}
	for _, r := range l.own() {
		if r.judged == nil {
			continue
		}
		for _, f := range l.failed(r) {
			found[f] = append(found[f], r)
		}
	}
	mark(b, "by-code")
	b.WriteString("## By code\n\nA code and the call that failed, and by phase: may a bare POST be sent again? Then the rows that say so.\n\n")
	for _, f := range sortedKeys(found, func(x, y failed) int {
		return cmp.Or(strings.Compare(x.code, y.code), strings.Compare(x.syscall, y.syscall))
	}) {
		fmt.Fprintf(b, "- **%s** — ", escape(f.String()))
		byPhase(b, f.code, found[f])
	}
	b.WriteByte('\n')
}

// byPhase writes the rules of rows with one code: each phase's, and its rows.
func byPhase(b *strings.Builder, code string, rows []row) {
	phases := map[string][]row{}
	for _, r := range rows {
		phase := strings.Join(r.phases(code), " or ")
		phases[phase] = append(phases[phase], r)
	}
	var rules, links []string
	for _, phase := range sortedKeys(phases, comparePhases) {
		list := byRule(phases[phase])
		rule := phase + ": " + inShort(list, "the phase does not tell")
		if strings.HasPrefix(code, classifier.HTTPPrefix) {
			rule = inShort(list, "the status does not tell")
		}
		rules = append(rules, rule)
		for _, p := range list {
			label := phase
			if len(list) > 1 {
				label += " (" + p.answer() + ")"
			}
			links = append(links, label+": "+p.links())
		}
	}
	writeRule(b, strings.Join(rules, " · "), links)
}

// writeRule writes a rule, and under it what it is about.
func writeRule(b *strings.Builder, rule string, links []string) {
	b.WriteString(rule + "\\\n")
	if len(links) == 1 {
		_, links[0], _ = strings.Cut(links[0], ": ")
	}
	b.WriteString("  " + strings.Join(links, " · ") + "\n")
}

// comparePhases orders as a call goes through them; what has several follows
// what has one.
func comparePhases(x, y string) int {
	place := func(phases string) int {
		first, _, _ := strings.Cut(phases, " or ")
		return slices.Index(classifier.Phases(), classifier.Phase(first))
	}
	return cmp.Or(place(x)-place(y), strings.Compare(x, y))
}

// A part of an index are rows with one rule.
type part struct {
	rule string
	rows []row
}

// byRule groups rows, in the order in which the rules come up.
func byRule(rows []row) []part {
	var list []part
	for _, r := range rows {
		at := slices.IndexFunc(list, func(p part) bool { return p.rule == r.rule() })
		if at < 0 {
			at, list = len(list), append(list, part{rule: r.rule()})
		}
		list[at].rows = append(list[at].rows, r)
	}
	return list
}

// inShort is the rule of all parts. Where they differ it is what each says, and
// where one says yes and one says no, that first.
func inShort(list []part, disagree string) string {
	if len(list) == 1 {
		return list[0].rule
	}
	var said []string
	for _, p := range list {
		said = append(said, fmt.Sprintf("%s (%s)", p.rule, count(len(p.rows))))
	}
	all := strings.Join(said, " or ")
	if slices.ContainsFunc(list, func(p part) bool { return p.says() != list[0].says() }) {
		return disagree + ": " + all
	}
	return all
}

// says is the verdict's cell, which is the same in all rows with one rule.
func (p part) says() string { return p.rows[0].text("post") }

// answer is the rule without what is behind it, where the whole is said above.
func (p part) answer() string {
	short, _, _ := strings.Cut(p.rule, "; ")
	return short
}

func (p part) links() string {
	var list []string
	for _, r := range p.rows {
		list = append(list, link("", r.id))
	}
	return strings.Join(list, ", ")
}

func count(rows int) string {
	if rows == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", rows)
}

func sortedKeys[K comparable, V any](m map[K]V, compare func(x, y K) int) []K {
	var keys []K
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compare)
	return keys
}

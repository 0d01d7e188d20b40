package explain

import (
	"cmp"
	"slices"

	"github.com/retry-lab/retry-lab/classifier"
)

// mostGroups bounds how many groups are kept; beyond it hosts are not told
// apart any more.
const mostGroups = 4096

type groupKey struct {
	code    classifier.Code
	phase   classifier.Phase
	runtime string
	host    string
}

// tally adds up the chunks.
type tally struct {
	groups  map[groupKey]*Group
	bytes   int64
	records int64
}

func (t *tally) add(c *chunk, o *LogOptions) {
	for i := range c.found {
		rec := &c.found[i]
		t.records++
		g := t.group(&rec.Answer)
		if g.Count++; g.Count == 1 {
			rec.Text = Quote(rec.text, textBytes)
			g.Example = *rec
			g.Example.text = nil
		}
		if boldness(rec.Answer.Post) >= boldness(CellModified) {
			g.SafePost++
		}
		if !rec.Time.IsZero() {
			if g.First.IsZero() || rec.Time.Before(g.First) {
				g.First = rec.Time
			}
			if rec.Time.After(g.Last) {
				g.Last = rec.Time
			}
		}
		if o.OnRecord != nil {
			rec.Text = Quote(rec.text, textBytes)
			rec.text = nil
			o.OnRecord(*rec)
		}
	}
	t.bytes = c.base + int64(c.to)
	if o.OnProgress != nil {
		o.OnProgress(t.bytes)
	}
}

// group is the group of an answer.
func (t *tally) group(a *Answer) *Group {
	key := groupKey{a.Code, a.Phase, a.Runtime, a.Host}
	if g := t.groups[key]; g != nil {
		return g
	}
	if len(t.groups) >= mostGroups {
		key.host = "*"
		if g := t.groups[key]; g != nil {
			return g
		}
	}
	g := &Group{Code: key.code, Phase: key.phase, Runtime: key.runtime, Host: key.host}
	t.groups[key] = g
	return g
}

// summary sorts the groups, the largest first.
func (t *tally) summary() Summary {
	s := Summary{Schema: Schema, Bytes: t.bytes, Records: t.records, Groups: make([]Group, 0, len(t.groups))}
	for _, g := range t.groups {
		s.Groups = append(s.Groups, *g)
		s.SafePost += g.SafePost
	}
	slices.SortFunc(s.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Phase, b.Phase),
			cmp.Compare(a.Runtime, b.Runtime), cmp.Compare(a.Host, b.Host))
	})
	return s
}

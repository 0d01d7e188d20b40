package cmd

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
	"github.com/retry-lab/retry-lab/scenarios"
)

func TestWrapBreaksBetweenWords(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		text     string
		width    int
		want     []string
	}{
		{"what fits stays", "connection refused", 18, []string{"connection refused"}},
		{"at a space", "connection refused", 12, []string{"connection", "refused"}},
		{"after a hyphen inside a word", "may-have-been-processed", 14, []string{"may-have-been-", "processed"}},
		{"not inside an arrow", "1->2 x", 4, []string{"1->2", "x"}},
		{"a word too long is broken", "abcdefghij k", 4, []string{"abcd", "efgh", "ij k"}},
		{"a newline stays", "a\nb c", 9, []string{"a", "b c"}},
		{"wide characters count twice", "日本語 x", 4, []string{"日本", "語 x"}},
		{"nothing", "", 5, []string{""}},
	} {
		if got := wrap(tt.text, tt.width, words); !slices.Equal(got, tt.want) {
			t.Errorf("%s: wrap(%q, %d) = %q, want %q", tt.sentence, tt.text, tt.width, got, tt.want)
		}
	}
}

func TestAVeryLongCellEndsInAnEllipsis(t *testing.T) {
	for _, text := range []string{strings.Repeat("word ", 10_000), strings.Repeat("x", 1<<16)} {
		lines := wrap(text, 20, words)
		if len(lines) != mostLines || !strings.HasSuffix(lines[mostLines-1], "…") {
			t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
		}
		for _, l := range lines {
			if displayWidth(l) > 20 {
				t.Errorf("line %q is wider than 20", l)
			}
		}
	}
}

func TestAGridTakesNoMoreThanItsWidth(t *testing.T) {
	g := grid{
		header: []string{"case", "retry_after", "POST +KEY", "reason"},
		rows: [][]string{
			{"408-gateway", "-", "modified", "may-have-been-processed"},
			{"x", "1", "no", "a sentence that is rather long and has to be wrapped somewhere"},
		},
	}
	for width := 30; width < 140; width++ {
		if got := g.fit(width).width(); got > width {
			t.Errorf("fit(%d) takes %d columns", width, got)
		}
	}
	if wide := g.fit(500); wide.width() != g.width() || wide.height() != 4 {
		t.Errorf("with room for all it takes %d columns and %d lines, want %d and 4", wide.width(), wide.height(), g.width())
	}
}

func TestTheHeaderIsWrappedBeforeTheCells(t *testing.T) {
	g := grid{header: []string{"retry_after", "x"}, rows: [][]string{{"1", "one two"}}}
	got := g.fit(len("retry_") + gap + len("one two"))
	if got.header[0] != "retry_\nafter" || got.rows[0][1] != "one two" {
		t.Errorf("header %q, cell %q", got.header[0], got.rows[0][1])
	}
}

// Every table that ships, at every width of a terminal that can be read.
func TestNoTableIsWiderThanATerminal(t *testing.T) {
	t.Parallel()
	groups := scenarios.Groups()
	for _, g := range groups {
		table, _, err := golden.Embedded().Load("linux", g.ID, vocabulary(groups))
		if errors.Is(err, fs.ErrNotExist) {
			continue // check says that it is missing
		}
		if err != nil {
			t.Fatal(err)
		}
		for width := 40; width <= 130; width++ {
			var b strings.Builder
			if err := (view{palette: newPalette(false), width: width}).cells(&b, tableGroup(table)); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if n := displayWidth(strings.TrimSuffix(line, "\n")); n > width {
					t.Fatalf("%s at %d columns has a line of %d: %q", g.ID, width, n, line)
				}
			}
			if width < 60 { // an id and the widest code may not fit beside each other
				continue
			}
			for _, row := range table.Rows {
				if !strings.Contains("\n"+b.String(), "\n"+shortID(row.ID, g.ID)+" ") {
					t.Errorf("%s at %d columns breaks the id %s:\n%s", g.ID, width, row.ID, b.String())
				}
			}
		}
	}
}

func TestColumnsWithoutRoomStandInATableOfTheirOwn(t *testing.T) {
	g := grid{
		header: []string{"case", "code", "n", "message"},
		rows:   [][]string{{"stale-fin-post-key", "H2_ENHANCE_YOUR_CALM", "7", "stream error: stream ID 1; ENHANCE_YOUR_CALM"}},
		right:  []int{2},
		prose:  map[int]int{3: 24},
		paint:  func(column int, cell string) string { return map[int]string{2: "<"}[column] + cell },
	}
	for _, tt := range []struct {
		width int
		want  string
	}{
		{100, "stale-fin-post-key|H2_ENHANCE_YOUR_CALM|<7|stream error: stream ID 1; ENHANCE_YOUR_CALM"},
		{80, "stale-fin-post-key|H2_ENHANCE_YOUR_CALM|<7|stream error: stream ID 1;\nENHANCE_YOUR_CALM"},
		{50, "stale-fin-post-key|H2_ENHANCE_YOUR_CALM|<7 stale-fin-post-key|stream error: stream ID 1;\nENHANCE_YOUR_CALM"},
		{40, "stale-fin-post-key|H2_ENHANCE_YOUR_CALM stale-fin-post-key|<7 stale-fin-\npost-key|stream error: stream ID\n1; ENHANCE_YOUR_CALM"},
	} {
		var got []string
		for _, part := range g.parts(tt.width) {
			f := part.fit(tt.width)
			if f.width() > tt.width {
				t.Errorf("at %d columns a table takes %d", tt.width, f.width())
			}
			got = append(got, strings.Join(f.painted(f.rows[0]), "|"))
		}
		if all := strings.Join(got, " "); all != tt.want {
			t.Errorf("at %d columns\n%q, want\n%q", tt.width, all, tt.want)
		}
	}
}

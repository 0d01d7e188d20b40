package cmd

import (
	"github.com/fatih/color"
	"golang.org/x/term"
)

// defaultWidth is how wide a table may be where no terminal says.
const defaultWidth = 100

// A palette colours the few words that have a colour.
type palette struct {
	words map[string]*color.Color
	drift *color.Color
}

// newPalette is resolved once for a run; without colour it changes nothing.
func newPalette(enabled bool) palette {
	style := func(attributes ...color.Attribute) *color.Color {
		c := color.New(attributes...)
		// Explicit either way: the package's own default looks at the process's
		// stdout and environment, whatever we write to.
		if enabled {
			c.EnableColor()
		} else {
			c.DisableColor()
		}
		return c
	}
	return palette{
		words: map[string]*color.Color{
			"yes": style(color.FgGreen), "no": style(color.FgRed), "modified": style(color.FgYellow),
			// Of an audit.
			"danger": style(color.FgRed, color.Bold), "harm": style(color.FgRed), "weak": style(color.FgYellow), "pass": style(color.FgGreen),
		},
		drift: style(color.Bold),
	}
}

// word colours a verdict's word and leaves everything else.
func (p palette) word(s string) string {
	if c := p.words[s]; c != nil {
		return c.Sprint(s)
	}
	return s
}

// palette resolves --color: auto is a terminal that does not ask for plain text.
func (a *app) palette() palette {
	switch a.color.value {
	case "always":
		return newPalette(true)
	case "never":
		return newPalette(false)
	}
	noColor, _ := a.lookup("NO_COLOR")
	return newPalette(isTerminal(a.stdout.w) && noColor == "" && !a.dumb())
}

// dumb: TERM says that the terminal obeys no control sequence, or says nothing
// though it is set.
func (a *app) dumb() bool {
	t, set := a.lookup("TERM")
	return t == "dumb" || set && t == ""
}

// width is how wide stdout is.
func (a *app) width() int { return widthOf(a.stdout.w) }

func widthOf(w any) int {
	if f, ok := w.(interface{ Fd() uintptr }); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return defaultWidth
}

// isTerminal reports whether stream, a reader or writer, is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// A view is how a terminal wants its text.
type view struct {
	palette palette
	width   int
	verbose bool // with the timeline of every row
}

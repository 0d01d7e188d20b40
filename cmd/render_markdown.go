package cmd

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retry-lab/retry-lab/scenarios"
)

// renderMarkdown prints a report for a web page or a pull request, in GitHub
// Flavored Markdown.
func renderMarkdown(w io.Writer, r Report) error {
	var b bytes.Buffer
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "## %s: %s\n\n", markdown(g.ID), markdown(g.Title))
		var rows [][]string
		for _, row := range g.Rows {
			rows = append(rows, markdownRow(g, row))
		}
		writeMarkdownTable(&b, append([]string{"id"}, g.Columns...), rows)
		fmt.Fprintf(&b, "\nGolden: %s (%s)\n\n", g.Golden, markdown(g.File))
		if notes := markdownNotes(g); len(notes) > 0 {
			fmt.Fprintf(&b, "- %s\n\n", strings.Join(notes, "\n- "))
		}
	}
	writeMarkdownSummary(&b, r)
	_, err := w.Write(b.Bytes())
	return err
}

// markdownNotes are what a table does not say.
func markdownNotes(g Group) []string {
	var notes []string
	for _, row := range g.Rows {
		if row.Skipped != "" {
			notes = append(notes, fmt.Sprintf("**skipped** %s: %s", markdown(row.ID), markdown(row.Skipped)))
		}
	}
	for _, d := range g.Drift {
		notes = append(notes, "**drift** "+markdown(d.String()))
	}
	return notes
}

func writeMarkdownSummary(b *bytes.Buffer, r Report) {
	fmt.Fprintf(b, "- **sound**: %d checked, %d unsafe, %d refuted claims\n",
		r.Sound.Checked, len(r.Sound.Unsafe), len(r.Sound.RefutedClaims))
	for _, breach := range slices.Concat(r.Sound.Unsafe, r.Sound.RefutedClaims) {
		fmt.Fprintf(b, "  - %s attempt %d: %s\n", markdown(breach.Row), breach.Attempt, markdown(breach.Why))
	}
	fmt.Fprintf(b, "- **useful**: %d checked, %d withheld\n", r.Useful.Checked, len(r.Useful.Withheld))
	for _, h := range r.Useful.Withheld {
		fmt.Fprintf(b, "  - %s: %s\n", markdown(h.Row), markdown(h.Reason))
	}
	fmt.Fprintf(b, "- **verdict**: %s\n\n", markdown(r.verdict()))
	fmt.Fprintf(b, "%s/%s, kernel %s, %s, retry-lab %s\n",
		r.Env.OS, r.Env.Arch, markdown(r.Env.Kernel), markdown(r.Env.Go), markdown(r.Env.Version))
}

func markdownRow(g Group, row scenarios.Row) []string {
	line := []string{markdown(row.ID)}
	for i, column := range g.Columns {
		switch state := rowState(row); {
		case state == "":
			var texts []string
			for _, text := range linesOf(cellText(row, column)) {
				texts = append(texts, markdown(text))
			}
			line = append(line, strings.Join(texts, "<br>"))
		case i == 0:
			line = append(line, state)
		default:
			line = append(line, "")
		}
	}
	return line
}

// writeMarkdownTable prints a table of escaped cells.
func writeMarkdownTable(b *bytes.Buffer, header []string, rows [][]string) {
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(header)
	line(slices.Repeat([]string{"---"}, len(header)))
	for _, r := range rows {
		line(r)
	}
}

// markdownEscapes keep a text from becoming a cell, a link, an image, code or
// HTML. Emphasis is left: it cannot do harm, and _ is in half the words.
var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `|`, `\|`, `[`, `\[`, `]`, `\]`, `<`, `\<`, `>`, `\>`, `&`, `\&`, `*`, `\*`,
)

// markdown returns text that came from outside as Markdown that shows it.
func markdown(text string) string { return markdownEscapes.Replace(safe(text)) }

package cmd

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/retry-lab/retry-lab/explain"
)

// writeResultMarkdown writes answers for a ticket or a pull request.
func writeResultMarkdown(b *bytes.Buffer, r *explain.Result, text []byte) {
	for i := range r.Answers {
		x := &r.Answers[i]
		if len(r.Answers) > 1 {
			fmt.Fprintf(b, "### Record %d\n\n%s\n\n", i+1, markdown(quoteRange(text, x.Range)))
		}
		fmt.Fprintf(b, "**%s**\n\n", markdown(strings.Join(answerWords(x), " · ")))
		for _, line := range evidence(x) {
			fmt.Fprintf(b, "- **%s**: %s\n", line[0], markdown(line[1]))
		}
		b.WriteString("\n")
	}
	switch {
	case len(r.Answers) == 1:
	case r.Operation == nil:
		fmt.Fprintf(b, "### All %d records\n\n%s\n", len(r.Answers), differentCalls)
	default:
		fmt.Fprintf(b, "### All %d records\n\n**%s**\n", len(r.Answers), markdown(strings.Join(operationWords(r.Operation), " · ")))
	}
}

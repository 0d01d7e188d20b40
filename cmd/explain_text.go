package cmd

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
	"github.com/retry-lab/retry-lab/explain"
)

// explainText answers one text: that of the arguments, of a file, or of stdin.
func (a *app) explainText(ctx context.Context, args []string, o *explainOptions) error {
	text := []byte(strings.Join(args, " "))
	from := "the argument"
	if len(args) == 0 || len(args) == 1 && args[0] == "-" {
		name := o.file
		if len(args) == 1 {
			name = "-"
		}
		in, err := a.openInput(ctx, name, false)
		if err != nil {
			return err
		}
		defer in.Close()
		from = in.name
		if text, err = in.all(); err != nil {
			return err
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return usageError(askText, "nothing to explain: %s is empty", from)
	}
	a.started = true
	r := explain.Text(text)
	if err := a.printResult(&r, text, o.format.value); err != nil {
		return err
	}
	if r.Recognised() {
		return nil
	}
	if len(args) == 1 && isFile(args[0]) {
		a.say("note: "+args[0]+" is a file, and its name was explained", "--file reads it")
	}
	return verdict(exitDiffers)
}

// isFile tells whether a text is the name of a file.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func (a *app) printResult(r *explain.Result, text []byte, format string) error {
	var b bytes.Buffer
	switch format {
	case "json":
		return writeJSON(a.stdout, r, "")
	case "markdown":
		writeResultMarkdown(&b, r, text)
	default:
		v := view{palette: a.palette(), width: math.MaxInt}
		if isTerminal(a.stdout.w) {
			v.width = a.width()
		}
		v.result(&b, r, text)
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

// result prints every record, and what they come to together.
func (v view) result(b *bytes.Buffer, r *explain.Result, text []byte) {
	if len(r.Answers) == 1 {
		v.record(b, &r.Answers[0])
		return
	}
	for i := range r.Answers {
		x := &r.Answers[i]
		v.lines(b, fmt.Sprintf("record %d  ", i+1), quoteRange(text, x.Range))
		v.record(b, x)
		b.WriteString("\n")
	}
	head := fmt.Sprintf("all %d records  ", len(r.Answers))
	if r.Operation == nil {
		v.lines(b, head, differentCalls)
		return
	}
	v.headline(b, head, operationWords(r.Operation))
}

const differentCalls = "different calls: each stands for itself"

// quoteRange is a part of the input, for a person.
func quoteRange(text []byte, at [2]int) string {
	return safe(explain.Quote(bytes.TrimSpace(text[at[0]:at[1]]), mostQuoted))
}

// record prints one answer: the verdict, the evidence, what to do.
func (v view) record(b *bytes.Buffer, x *explain.Answer) {
	v.headline(b, "", answerWords(x))
	for _, line := range evidence(x) {
		v.lines(b, fmt.Sprintf("%-11s", line[0]), line[1])
	}
}

// headline prints words with a dot between two, on as few lines as it needs.
func (v view) headline(b *bytes.Buffer, head string, words []string) {
	used := displayWidth(head)
	b.WriteString(head)
	for i, w := range words {
		switch {
		case i == 0:
		case used+displayWidth(w)+3 > v.width:
			b.WriteString("\n" + strings.Repeat(" ", displayWidth(head)))
			used = displayWidth(head)
		default:
			b.WriteString(" · ")
			used += 3
		}
		b.WriteString(v.cell(w))
		used += displayWidth(w)
	}
	b.WriteString("\n")
}

// cell colours the verdict of "POST no". A pause has the colour of a change:
// yes, but.
func (v view) cell(words string) string {
	request, answer, ok := strings.Cut(words, " ")
	if !ok || strings.ToUpper(request) != request {
		return words
	}
	if answer == string(explain.CellWait) {
		return request + " " + v.palette.words["modified"].Sprint(answer)
	}
	return request + " " + v.palette.word(answer)
}

// answerWords is the first line of an answer, in its parts.
func answerWords(x *explain.Answer) []string {
	return headWords(x.Code, x.Phase, x.Processed, x.Get, x.Post, x.PostKey)
}

func operationWords(o *explain.Operation) []string {
	return headWords(o.Code, o.Phase, o.Processed, o.Get, o.Post, o.PostKey)
}

func headWords(code classifier.Code, phase classifier.Phase, processed classifier.Processed, get, post, key explain.Cell) []string {
	where := string(phase)
	if phase == classifier.PhaseUnknown {
		where = "phase unknown"
	}
	return []string{
		string(code), where, processedWords[processed],
		"GET " + string(get), "POST " + string(post), "POST+KEY " + string(key),
	}
}

var processedWords = map[classifier.Processed]string{
	classifier.Never: "not processed",
	classifier.Maybe: "may have been processed",
	classifier.Yes:   "was processed",
}

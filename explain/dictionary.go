package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/retry-lab/retry-lab/classifier"
)

const dictionaryHead = `<!-- Made by ` + "`make docs`" + ` from the tables of package explain. Do not edit. -->

# Errors, and what they mean

What HTTP clients, drivers and gateways print when a call fails: what it is, how far the request had come, whether a server may have
acted on it, and whether it may be sent again. Each row is a text that its runtime prints, and a test of package ` + "`explain`" + `; its cells are
those of that text alone. Around it a stack frame, an operation word or a counter can move the phase, so ask with all that you have:

` + "```text" + `
retry-lab explain 'Post "https://pay.example/": read: connection reset by peer'
retry-lab explain --log app.log
` + "```" + `

- **processed** says whether the server may have acted on the request: ` + "`never`, `maybe` or `yes`" + `. Where a text covers several phases that differ in
  it, the phase is ` + "`unknown`" + ` and it is ` + "`maybe`" + `.
- **GET**, **POST** and **+KEY** say whether the request may be sent again if it is a GET, a bare POST, or a POST with an
  Idempotency-Key that the server honours: ` + "`yes`; `wait`" + `, after a pause; ` + "`modified`" + `, once, with one thing changed; ` + "`no`; `unknown`" + `, the text does not tell.
- The code links to the case of the [failure matrix](matrix.md) in which the lab makes such a failure happen.
- Every row has an anchor named after the entry (` + "`#go-dial`" + `), every [code](#by-code) one named after it (` + "`#econnreset`" + `), every runtime one too (` + "`#node-undici`" + `).

## By runtime

`

// WriteDictionary writes everything that is known as a Markdown page: an index
// by runtime and one by code, and by runtime one row an entry, each with an
// anchor named after its ID. The cells are those of the entry's example. It
// links to matrix.md beside it. It fails only where w does.
func WriteDictionary(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString(dictionaryHead)
	tables := Tables()
	var index codeIndex
	for i := range tables {
		fmt.Fprintf(b, "- [%s](#%s)\n", tables[i].Title, tables[i].anchor())
		index.add(&tables[i])
	}
	index.write(b)
	for i := range tables {
		tables[i].write(b)
	}
	return b.Flush()
}

// anchor is the name of a runtime's section.
func (t *Table) anchor() string {
	if t.Runtime != "" {
		return t.Runtime
	}
	id, _, _ := strings.Cut(t.Entries[0].ID, "/")
	return "common-" + id
}

// write writes one runtime.
func (t *Table) write(b *bufio.Writer) {
	fmt.Fprintf(b, "\n<a id=\"%s\"></a>\n\n## %s\n", t.anchor(), t.Title)
	if t.Retries != "" {
		fmt.Fprintf(b, "\nBy itself: %s.\n", t.Retries)
	}
	t.writeRows(b, "\n| text | code | phase | processed | GET | POST | +KEY | what to do, and why | source |\n|---|---|---|---|---|---|---|---|---|\n",
		(*Entry).names, (*Entry).meaning)
	t.writeRows(b, "\nBeside it, these tell how far the call had come, or what else to know:\n\n| words | tell | example | source |\n|---|---|---|---|\n",
		func(e *Entry) bool { return !e.names() }, (*Entry).hint)
}

// names tells whether an entry names a failure.
func (e *Entry) names() bool { return e.Role == Cause || e.Role == Wrapper || e.Role == Foreign }

// writeRows writes the heading and the rows of the entries that are wanted,
// nothing where there are none.
func (t *Table) writeRows(b *bufio.Writer, heading string, wanted func(*Entry) bool, row func(*Entry) []string) {
	for i := range t.Entries {
		e := &t.Entries[i]
		if !wanted(e) {
			continue
		}
		b.WriteString(heading)
		heading = ""
		fmt.Fprintf(b, "| <a id=\"%s\"></a>", e.anchor())
		b.WriteString(strings.Join(row(e), " | ") + " |\n")
	}
}

// anchor is the name of an entry's row.
func (e *Entry) anchor() string { return strings.ReplaceAll(e.ID, "/", "-") }

// answered is what the entry's example means.
func (e *Entry) answered() Answer {
	r := Text([]byte(e.Example))
	return r.Answers[len(r.Answers)-1]
}

// meaning is the row of an entry that names a failure.
func (e *Entry) meaning() []string {
	a := e.answered()
	text := quoted(e.Example)
	if e.Version != "" {
		text += " (" + e.Version + ")"
	}
	code := string(a.Code)
	if a.LabCase != "" {
		code = "[" + code + "](matrix.md#" + strings.ReplaceAll(a.LabCase, "/", "-") + ")"
	}
	do := a.Action()
	if a.Why != classifier.NotSent.Sentence() && a.Why != classifier.MayHaveBeenProcessed.Sentence() { // the action says that
		do += "<br>" + a.Why
	}
	return []string{markdownCell(text), code, string(a.Phase), string(a.Processed), string(a.Get), string(a.Post), string(a.PostKey),
		markdownCell(do), markdownCell(e.Source)}
}

// hint is the row of any other entry.
func (e *Entry) hint() []string {
	words := strings.Split(e.Match[0], "|")
	for i := range words {
		words[i] = quoted(strings.Trim(words[i], "*"))
	}
	more := ""
	if len(words) > 6 {
		words, more = words[:6], ", …"
	}
	tells := "phase " + string(e.Phase)
	switch e.Role {
	case Earlier:
		tells = "earlier attempts, whose outcome is hidden"
	case Pause:
		tells = "the wait before sending again"
	case Mark:
		tells = "an intermediary answered"
	}
	return []string{markdownCell(strings.Join(words, ", ") + more), tells, markdownCell(quoted(e.Example)), markdownCell(e.Source)}
}

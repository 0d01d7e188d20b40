package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteDictionary writes everything that is known as a Markdown page: by
// runtime, one row an entry, each with an anchor named after its ID. The cells
// are those of the entry's example. It fails only where w does.
func WriteDictionary(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString("# Errors, and what they mean\n\n" +
		"What HTTP clients, drivers and gateways print when a call fails: the code and the phase behind the words, whether a server may have\n" +
		"acted on the request, and whether it may be sent again as a GET, as a bare POST and as a POST with an honoured key. The cells are those of\n" +
		"the example; a stack frame, an operation word or a counter beside it can move the phase. Made by `make docs` from the tables of package\n" +
		"`explain`, each row of which is a test.\n")
	tables := Tables()
	for i := range tables {
		fmt.Fprintf(b, "%s[%s](#%s)", separator(i), tables[i].Title, slug(tables[i].Title))
	}
	b.WriteString("\n")
	for i := range tables {
		tables[i].write(b)
	}
	return b.Flush()
}

func separator(i int) string {
	if i == 0 {
		return "\n"
	}
	return " ·\n"
}

// write writes one runtime.
func (t *Table) write(b *bufio.Writer) {
	fmt.Fprintf(b, "\n## %s\n", t.Title)
	if t.Retries != "" {
		fmt.Fprintf(b, "\nWhat it does by itself: %s.\n", t.Retries)
	}
	t.writeRows(b, "\n| text | code | phase | processed | GET | POST | POST+KEY | why | what to do | source |\n|---|---|---|---|---|---|---|---|---|---|\n",
		func(e *Entry) bool { return e.Role == Cause || e.Role == Wrapper || e.Role == Foreign }, (*Entry).meaning)
	t.writeRows(b, "\nWhat tells how far the call had come, or what else to know:\n\n| text | what it is | tells | example | source |\n|---|---|---|---|---|\n",
		func(e *Entry) bool { return e.Role != Cause && e.Role != Wrapper && e.Role != Foreign }, (*Entry).hint)
}

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
		fmt.Fprintf(b, "| <a id=\"%s\"></a>", strings.ReplaceAll(e.ID, "/", "-"))
		cells := row(e)
		for i := range cells {
			cells[i] = markdownCell(cells[i])
		}
		b.WriteString(strings.Join(cells, " | ") + " |\n")
	}
}

// meaning is the row of an entry that names a failure.
func (e *Entry) meaning() []string {
	r := Text([]byte(e.Example))
	a := &r.Answers[len(r.Answers)-1]
	return []string{quoted(e.Example), string(a.Code), string(a.Phase), string(a.Processed), string(a.Get), string(a.Post), string(a.PostKey), a.Why, a.Action(), e.Source}
}

// hint is the row of any other entry.
func (e *Entry) hint() []string {
	words := strings.Split(e.Match[0], "|")
	for i := range words {
		words[i] = quoted(strings.Trim(words[i], "*"))
	}
	more := ""
	if len(words) > 6 {
		words, more = words[:6], ", ..."
	}
	tells := string(e.Phase)
	switch e.Role {
	case Earlier:
		tells = "earlier attempts, whose outcome is hidden"
	case Pause:
		tells = "the wait before sending again"
	case Mark:
		tells = "an intermediary answered"
	}
	return []string{strings.Join(words, ", ") + more, e.Role.String(), tells, quoted(e.Example), e.Source}
}

// quoted is a text in code marks, on one line.
func quoted(s string) string {
	s = Escape([]byte(s), 240)
	mark := "`"
	for strings.Contains(s, mark) {
		mark += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") {
		s = " " + s + " "
	}
	return mark + s + mark
}

// markdownCell keeps a cell in its column.
func markdownCell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(s)
}

// slug is the anchor that Markdown gives a heading.
func slug(title string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(title) {
		switch {
		case c == ' ':
			b.WriteByte('-')
		case c < 128 && (isWord(byte(c)) || c == '-'):
			b.WriteRune(c)
		}
	}
	return b.String()
}

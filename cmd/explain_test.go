package cmd

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/retry-lab/retry-lab/explain"
)

// zipped is n zeros, compressed.
func zipped(t *testing.T, n int) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.CopyN(z, zeros{}, int64(n)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// Whatever stands on stdin is answered, or refused in one line; nothing of it
// reaches a terminal raw.
func TestExplainHasAWordForEveryInput(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 50<<20)
	for _, tt := range []struct {
		what, stdin string
		text, log   int    // exit codes
		said        string // on stderr by both
		code        string // of the answer by both; empty: none
	}{
		{what: "a line of 100 MB", stdin: long + " read ECONNRESET " + long, code: "ECONNRESET"},
		{what: "NULs", stdin: "\x00\x00r\x00ead EC\x00ONNRESET\x00", text: exitOK, log: exitOK},
		{what: "invalid UTF-8", stdin: "\xff\xfe\x80 read ECONNRESET \xc3", code: "ECONNRESET"},
		{what: "terminal escapes", stdin: "\x1b[2J\x1b]0;x\x07\x1b[31mread ECONNRESET\x1b[0m \u202e\u200b \x9b2J", code: "ECONNRESET"},
		{what: "nested JSON", stdin: strings.Repeat(`{"a":[`, 200_000) + `"read ECONNRESET"` + strings.Repeat("]}", 200_000), code: "ECONNRESET"},
		{what: "a binary file", stdin: "\x7fELF\x02\x01\x01\x00" + string([]byte{0xde, 0xad, 0xbe, 0xef, 0, 1, 2, 3}), text: exitDiffers},
		{what: "a compressed bomb", stdin: zipped(t, 96<<20), text: exitBroken, log: exitBroken, said: "retry-lab: cannot read stdin: compressed input expands too much to be a log: "},
		{what: "half a header", stdin: "\x1f\x8b\x08", text: exitBroken, log: exitBroken, said: "retry-lab: cannot read stdin: gzip: "},
		{what: "a broken zstd frame", stdin: "\x28\xb5\x2f\xfd\xff\xff\xff\xff", text: exitBroken, log: exitBroken, said: "retry-lab: cannot read stdin: decompress: "},
		{what: "ends of lines alone", stdin: "\n\r\n\n", text: exitUsage},
	} {
		for mode, want := range map[string]int{"": tt.text, "--log": tt.log} {
			t.Run(strings.TrimSpace(tt.what+" "+mode), func(t *testing.T) {
				t.Parallel()
				got := invoke(t, realLab(), tt.stdin, append([]string{"explain"}, strings.Fields(mode)...)...)
				if got.code != want || strings.Count(got.stderr, "\n") > 1 || !strings.HasPrefix(got.stderr, tt.said) {
					t.Errorf("exit %d, stderr %q; want %d, at most one line, beginning with %q", got.code, got.stderr, want, tt.said)
				}
				if !strings.Contains(got.stdout, tt.code) || len(got.stdout) > 64<<10 {
					t.Errorf("no %s in %d bytes: %.300q", tt.code, len(got.stdout), got.stdout)
				}
				if raw := strings.IndexFunc(got.stdout+got.stderr, func(r rune) bool { return r != '\n' && hidden(r) }); raw >= 0 || !utf8.ValidString(got.stdout) {
					t.Errorf("raw bytes at %d: %.300q", raw, got.stdout)
				}
			})
		}
	}
}

func TestATextThatIsTooLongIsSentToTheLog(t *testing.T) {
	t.Parallel()
	stdin, w := io.Pipe()
	go func() { w.CloseWithError(copyZeros(w, mostInput+1)) }()
	var stdout, stderr bytes.Buffer
	a := newApp(stdin, &stdout, &stderr, func(string) (string, bool) { return "", false }, realLab())
	want := "retry-lab: stdin is longer than 128 MiB (--log finds the failures in a log of any size)\n"
	if code := a.execute(t.Context(), []string{"explain"}); code != exitUsage || stderr.String() != want {
		t.Errorf("exit %d, stderr %q; want 2, %q", code, stderr.String(), want)
	}
}

func copyZeros(w io.Writer, n int64) error {
	_, err := io.CopyN(w, zeros{}, n)
	return err
}

func TestALineOfLinesIsBounded(t *testing.T) {
	t.Parallel()
	stdin := `"` + strings.Repeat("x", mostTextLine) + "\"\n" + `{"text":"read ECONNRESET"}` + "\n"
	got := invoke(t, realLab(), stdin, "explain", "--lines")
	if got.code != exitDiffers || got.stderr != "retry-lab: line 1: longer than 16777216 bytes\n" || !strings.Contains(got.stdout, "ECONNRESET") {
		t.Errorf("exit %d, stdout %.200q, stderr %q", got.code, got.stdout, got.stderr)
	}
}

// The answer to JSON lines is JSON, a line each, and nothing in it is raw.
func TestLinesAnswerInLines(t *testing.T) {
	t.Parallel()
	texts := []string{"read ECONNRESET", "\x1b[2J\u202e the moon\x00", "Get \"http://u:p@h.example/\": EOF"}
	var stdin bytes.Buffer
	for i, text := range texts {
		if err := json.NewEncoder(&stdin).Encode(map[string]any{"id": i, "name": "\u202e", "text": text}); err != nil {
			t.Fatal(err)
		}
	}
	got := invoke(t, realLab(), stdin.String(), "explain", "--lines")
	if got.code != exitDiffers || got.stderr != "" {
		t.Errorf("exit %d, stderr %q", got.code, got.stderr)
	}
	lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	if len(lines) != len(texts) {
		t.Fatalf("%d lines: %q", len(lines), got.stdout)
	}
	for i, line := range lines {
		var answer struct {
			ID     int
			Schema int
			explain.Result
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.ID != i || len(answer.Answers) != 1 {
			t.Errorf("line %d: %v: %s", i, err, line)
		}
		if strings.ContainsFunc(line, hidden) {
			t.Errorf("line %d is raw: %q", i, line)
		}
	}
}

// Every example of the dictionary is answered in every format, without a
// character that is not printable, and the answer stands in the first line.
func TestEveryExampleIsExplainedInEveryFormat(t *testing.T) {
	t.Parallel()
	for _, e := range explain.Entries() {
		r := explain.Text([]byte(e.Example))
		var text, markdown bytes.Buffer
		v := view{palette: newPalette(false), width: 80}
		v.result(&text, &r, []byte(e.Example))
		writeResultMarkdown(&markdown, &r, []byte(e.Example))
		for _, out := range []string{text.String(), markdown.String()} {
			if strings.ContainsFunc(out, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }) {
				t.Errorf("%s: raw: %q", e.ID, out)
			}
			for _, must := range []string{string(r.Answers[0].Code), r.Answers[0].Action()} {
				if !strings.Contains(strings.Join(strings.Fields(out), " "), must) {
					t.Errorf("%s: no %q in\n%s", e.ID, must, out)
				}
			}
		}
		for line := range strings.Lines(text.String()) {
			if displayWidth(strings.TrimSuffix(line, "\n")) > 80 {
				t.Errorf("%s: a line of %d columns: %s", e.ID, displayWidth(line), line)
			}
		}
	}
}

func TestAFollowedLogGoesOnWhereItIsCutOrReplaced(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "app.log")
	write := func(flags int, text string) {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flags, 0o600)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			t.Error(err)
		}
	}
	write(0, "read ECONNRESET\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	var stderr bytes.Buffer
	a := newApp(strings.NewReader(""), w, &stderr, func(string) (string, bool) { return "", false }, realLab())
	code := make(chan int, 1)
	go func() {
		code <- a.execute(ctx, []string{"explain", "--log", name, "-f", "-o", "ndjson"})
		w.Close()
	}()
	found := json.NewDecoder(r)
	next := func() string {
		var rec explain.LogRecord
		if err := found.Decode(&rec); err != nil {
			t.Fatal(err)
		}
		return string(rec.Answer.Code)
	}
	if got := next(); got != "ECONNRESET" {
		t.Errorf("first: %s", got)
	}
	write(os.O_APPEND, "Error: write EPIPE\n")
	if got := next(); got != "EPIPE" {
		t.Errorf("appended: %s", got)
	}
	write(os.O_TRUNC, "Error: socket hang up\n")
	if got := next(); got != "EOF" {
		t.Errorf("cut: %s", got)
	}
	if err := os.Rename(name, name+".1"); err != nil {
		t.Skipf("an open file cannot be renamed here: %v", err)
	}
	write(0, "connect ECONNREFUSED 192.0.2.1:80\n")
	if got := next(); got != "ECONNREFUSED" {
		t.Errorf("replaced: %s", got)
	}
	cancel()
	if err := found.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Errorf("after the interrupt: %v", err)
	}
	if got := <-code; got != exitInterrupted {
		t.Errorf("exit %d, stderr %q", got, stderr.String())
	}
}

func TestTheShellCompletesFilesWhereAFileIsWanted(t *testing.T) {
	t.Parallel()
	for args, files := range map[string]bool{
		"explain --file": true, "explain --log": true, "explain --lines --file": true, "explain": false, "explain -o": false,
	} {
		got := invoke(t, realLab(), "", append(append([]string{"__complete"}, strings.Fields(args)...), "")...)
		if none := strings.Contains(got.stdout, ":4\n"); got.code != exitOK || none == files {
			t.Errorf("%s: exit %d, %q; want files %v", args, got.code, got.stdout, files)
		}
	}
}

package cmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line of stdin, in bytes.
const maxLine = 64 << 10

// classifyLines answers every line of stdin. A line that cannot be answered is
// named on stderr, the others still are; the exit code is then 1. Blank lines
// are skipped.
func (a *app) classifyLines(ctx context.Context, defaults *question, format string) error {
	in := bufio.NewReaderSize(a.stdin, maxLine)
	out := bufio.NewWriter(a.stdout)
	code := exitOK
	for n := 1; ctx.Err() == nil; n++ {
		line, err := readLine(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return errors.Join(out.Flush(), brokenError("", fmt.Errorf("cannot read stdin: %w", cause(err))))
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff")) // an editor's mark that it is UTF-8
		}
		text, err := a.answerLine(defaults, line, err, n, format)
		if err != nil {
			code = exitDiffers
			a.say(fmt.Sprintf("line %d: %v", n, err), hintOf(err))
		}
		if _, err := out.WriteString(text); err != nil {
			return err // nobody would read what follows
		}
		if in.Buffered() == 0 { // whoever waits for the answer gets it
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return verdictError(code)
}

// readLine returns the next line without its newline; ErrBufferFull for one
// that is too long, which is read to its end. The line is good until the next.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		rest := err
		for errors.Is(rest, bufio.ErrBufferFull) {
			_, rest = in.ReadSlice('\n')
		}
		if rest != nil && !errors.Is(rest, io.EOF) {
			return nil, rest
		}
		return nil, err
	}
	if errors.Is(err, io.EOF) && len(line) > 0 { // the last line may lack its newline
		err = nil
	}
	return bytes.TrimSpace(line), err
}

// answerLine is the text that answers a line, empty for a blank one.
func (a *app) answerLine(defaults *question, line []byte, tooLong error, n int, format string) (string, error) {
	if tooLong != nil {
		return "", fmt.Errorf("longer than %d bytes", maxLine)
	}
	if len(line) == 0 {
		return "", nil
	}
	q, err := defaults.with(line)
	if err != nil {
		return "", err
	}
	x, err := q.answer(a.lab.now())
	if err != nil {
		return "", err
	}
	x.Line = n
	if format == "json" {
		var b strings.Builder
		err := writeJSON(&b, x, "")
		return b.String(), err
	}
	return fmt.Sprintf("%d: %s; processed %s (%s); wait %s; %s: %s; %s\n",
		n, x.words(), x.Processed, x.Basis, x.waitText(), x.Reason, x.Sentence, x.Source), nil
}

func hintOf(err error) string {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.hint
	}
	return ""
}

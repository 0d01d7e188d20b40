package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/retry-lab/retry-lab/explain"
)

// mostTextLine bounds a line of --lines, in bytes.
const mostTextLine = 16 << 20

// explainLines answers every line of JSON with one. A line that cannot be
// answered is named on stderr, the others still are. Blank lines are skipped.
func (a *app) explainLines(ctx context.Context, name string) error {
	in, err := a.openInput(ctx, name, false)
	if err != nil {
		return err
	}
	defer in.Close()
	a.started = true
	lines := bufio.NewReaderSize(in, mostTextLine)
	out := bufio.NewWriter(a.stdout)
	code := exitOK
	for n := 1; ctx.Err() == nil; n++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return errors.Join(out.Flush(), in.broken(err))
		}
		answer, ok, err := explainLine(line, err)
		if err != nil {
			a.say(fmt.Sprintf("line %d: %v", n, err), "")
		}
		if !ok {
			code = exitDiffers
		}
		if _, err := out.WriteString(answer); err != nil {
			return err // nobody would read what follows
		}
		if lines.Buffered() == 0 { // whoever waits for the answer gets it
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

// explainLine is the line that answers a line, empty for a blank one.
func explainLine(line []byte, tooLong error) (answer string, recognised bool, err error) {
	if tooLong != nil {
		return "", false, fmt.Errorf("longer than %d bytes", mostTextLine)
	}
	if len(line) == 0 {
		return "", true, nil
	}
	b, recognised, err := explain.Line(line)
	if err != nil {
		return "", false, err
	}
	return safeJSON(string(b)) + "\n", recognised, nil
}

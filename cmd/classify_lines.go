package cmd

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"
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
		if err := a.classifyLine(out, defaults, line, err, n, format); err != nil {
			code = exitDiffers
			a.say(fmt.Sprintf("line %d: %v", n, err), hintOf(err))
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

func (a *app) classifyLine(out *bufio.Writer, defaults *question, line []byte, tooLong error, n int, format string) error {
	if tooLong != nil {
		return fmt.Errorf("longer than %d bytes", maxLine)
	}
	if len(line) == 0 {
		return nil
	}
	q, err := defaults.with(line)
	if err != nil {
		return err
	}
	x, err := q.answer(a.lab.now())
	if err != nil {
		return err
	}
	x.Line = n
	if format == "json" {
		return writeJSON(out, x, "")
	}
	_, err = fmt.Fprintf(out, "%d: %s; processed %s (%s); wait %s; %s: %s; %s\n",
		n, x.words(), x.Processed, x.Basis, x.wait(), x.Reason, x.Sentence, x.Source)
	return err
}

// with returns a copy of q with the fields of a JSON line.
func (q *question) with(line []byte) (*question, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	out := *q
	out.header = q.header.Clone()
	if _, ok := fields["status"]; ok {
		out.hasStatus = true
	}
	if _, ok := fields["key"]; ok {
		out.keyUnhonoured = false // the line's own word replaces both flags
	}
	if _, ok := fields["key_unhonoured"]; ok {
		out.key = false
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		to := out.field(name)
		if to == nil {
			return nil, usageError("the fields are "+fieldNames, "unknown field %q", name)
		}
		if err := json.Unmarshal(fields[name], to); err != nil {
			return nil, fmt.Errorf("field %s: %w", name, plainJSON(err))
		}
	}
	if out.key && out.keyUnhonoured {
		return nil, usageError("key is an honoured key", "key and key_unhonoured exclude each other")
	}
	return &out, nil
}

// plainJSON says what a field wants in the words of JSON.
func plainJSON(err error) error {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return err
	}
	want := map[string]string{"int": "a number without a fraction", "bool": "true or false", "string": "a string"}[e.Type.String()]
	if want == "" {
		return err
	}
	return fmt.Errorf("want %s, got %s", want, e.Value)
}

func hintOf(err error) string {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.hint
	}
	return ""
}

// A headerField decodes an object whose values are a string, or a list of them
// where a field came several times.
type headerField question

func (h *headerField) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return errors.New(`want an object such as {"Retry-After":"1"}`)
	}
	q := (*question)(h)
	q.header = http.Header{}
	for name, raw := range fields {
		var one string
		var many []string
		if json.Unmarshal(raw, &one) == nil {
			many = []string{one}
		} else if json.Unmarshal(raw, &many) != nil {
			return fmt.Errorf("header %q: want a string or a list of strings", name)
		}
		for _, value := range many {
			if err := q.addHeader(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// A waitField decodes a duration as the flag is written: "1.5s".
type waitField question

func (f *waitField) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return errors.New(`want a duration such as "5s"`)
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf(`%q is not a duration such as "5s"`, s)
	}
	(*question)(f).setMaxWait(d)
	return nil
}

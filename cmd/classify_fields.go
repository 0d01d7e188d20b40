package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// A field is one of a JSON line, its form as a message says it, and where it is
// decoded to.
type field struct {
	name, form string
	to         any
}

func (q *question) fields() []field {
	return []field{
		{"status", "a number from 100 to 999", &q.status},
		{"code", `a code such as "ECONNRESET"`, &q.code},
		{"syscall", `a call such as "connect"`, &q.syscall},
		{"phase", `a phase such as "await"`, &q.phase},
		{"method", `a method such as "POST"`, &q.method},
		{"key", "true or false", &q.key},
		{"key_unhonoured", "true or false", &q.keyUnhonoured},
		{"headers", `an object such as {"Retry-After":"1"}`, (*headerField)(q)},
		{"strict", "true or false", &q.strict},
		{"max_wait", `a duration such as "5s"`, (*waitField)(q)},
	}
}

// lineForm is how a line is written.
const lineForm = `a line is one object such as {"status":503,"method":"POST"}`

// with returns a copy of q with the fields of a JSON line.
func (q *question) with(line []byte) (*question, error) {
	if syntax := json.Unmarshal(line, new(json.RawMessage)); syntax != nil {
		return nil, usageError(lineForm, "not a JSON object: %w", syntax)
	}
	given, ok := members(line)
	if !ok {
		return nil, usageError(lineForm, "not a JSON object: %s", kindOf(line))
	}
	out := *q
	out.header = q.header.Clone()
	for _, m := range given {
		switch m.name { // the line's own word replaces both flags
		case "status":
			out.hasStatus = true
		case "key":
			out.keyUnhonoured = false
		case "key_unhonoured":
			out.key = false
		}
	}
	for _, m := range given {
		if err := out.set(m); err != nil {
			return nil, err
		}
	}
	if out.key && out.keyUnhonoured {
		return nil, usageError("key is an honoured key", "key and key_unhonoured exclude each other")
	}
	return &out, nil
}

// set decodes one field. A syscall may be empty, as it is in a report where no
// call failed; no other text may.
func (q *question) set(m member) error {
	names := ""
	for _, f := range q.fields() {
		if f.name != m.name {
			names += ", " + f.name
			continue
		}
		_, isText := f.to.(*string)
		switch got := kindOf(m.value); {
		case got == "null", isText && got == "an empty string" && f.name != "syscall":
			return fmt.Errorf("field %s: want %s, got %s", f.name, f.form, got)
		}
		err := json.Unmarshal(m.value, f.to)
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("field %s: want %s, got %s", f.name, f.form, wrong.Value)
		}
		if err != nil {
			return fmt.Errorf("field %s: %w", f.name, err)
		}
		return nil
	}
	return usageError("the fields are "+names[2:], "unknown field %q", m.name)
}

// A member is a name of a JSON object with its value.
type member struct {
	name  string
	value json.RawMessage
}

// members lists those of an object in the order in which they are written, so
// that of two mistakes the same one is always told. It is false for another
// value. text is valid JSON.
func members(text []byte) ([]member, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	var list []member
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		m := member{name: name.(string)} // nothing else is a name
		if err := d.Decode(&m.value); err != nil {
			return nil, false
		}
		list = append(list, m)
	}
	return list, true
}

// kindOf says what a JSON value is.
func kindOf(value []byte) string {
	switch value = bytes.TrimSpace(value); {
	case string(value) == `""`:
		return "an empty string"
	case len(value) > 0 && value[0] == '"':
		return "a string"
	case len(value) > 0 && value[0] == '[':
		return "an array"
	case len(value) > 0 && value[0] == '{':
		return "an object"
	}
	return string(value) // null, true, false or a number
}

// A headerField decodes an object whose values are a string, or a list of them
// where a field came several times.
type headerField question

func (h *headerField) UnmarshalJSON(text []byte) error {
	list, ok := members(text)
	if !ok {
		return fmt.Errorf(`want an object such as {"Retry-After":"1"}, got %s`, kindOf(text))
	}
	q := (*question)(h)
	q.header = http.Header{}
	for _, m := range list {
		values, ok := stringsOf(m.value)
		if !ok {
			return fmt.Errorf("header %q: want a string or a list of strings", m.name)
		}
		for _, value := range values {
			if err := q.addHeader(m.name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// stringsOf reads a string, or a list of them. A null is neither.
func stringsOf(raw []byte) (list []string, ok bool) {
	var one *string
	if json.Unmarshal(raw, &one) == nil && one != nil {
		return []string{*one}, true
	}
	var many []*string
	if json.Unmarshal(raw, &many) != nil || many == nil {
		return nil, false
	}
	for _, s := range many {
		if s == nil {
			return nil, false
		}
		list = append(list, *s)
	}
	return list, true
}

// A waitField decodes a duration as the flag is written: "1.5s".
type waitField question

func (f *waitField) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf(`want a duration such as "5s", got %s`, kindOf(text))
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf(`%q is not a duration such as "5s"`, s)
	}
	(*question)(f).setMaxWait(d)
	return nil
}

package servers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ParseScript reads a script as JSON: {"steps":["503",{"fault":"reset",
// "commit":"before"},"200"]}, or its steps alone. What is malformed, unknown or
// out of bounds is a *[ScriptError] with the field.
func ParseScript(r io.Reader) (Script, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxScript+1))
	if err != nil {
		return Script{}, fmt.Errorf("read script: %w", err)
	}
	if len(raw) > MaxScript {
		return Script{}, &ScriptError{"script", fmt.Sprintf("longer than %d bytes", MaxScript)}
	}
	s, err := parseScript(bytes.TrimSpace(raw))
	if err != nil {
		return Script{}, err
	}
	_, err = s.compile()
	return s, err
}

func parseScript(raw []byte) (Script, error) {
	var given struct {
		ID         string            `json:"id"`
		Steps      []json.RawMessage `json:"steps"`
		IgnoreKeys bool              `json:"ignore_keys"`
	}
	if !fewTokens(raw) {
		return Script{}, &ScriptError{"script", fmt.Sprintf("more values than %d steps can have", MaxSteps)}
	}
	var err error
	if bytes.HasPrefix(raw, []byte("[")) {
		err = strict(raw, &given.Steps)
	} else {
		err = strict(raw, &given)
	}
	if err != nil {
		return Script{}, fieldOf("", err)
	}
	s := Script{ID: given.ID, IgnoreKeys: given.IgnoreKeys}
	for i, one := range given.Steps {
		if i == MaxSteps {
			return Script{}, &ScriptError{"steps", fmt.Sprintf("%d steps: want 1 to %d", len(given.Steps), MaxSteps)}
		}
		made, err := parseStep(one)
		if err != nil {
			return Script{}, fieldOf(fmt.Sprintf("steps[%d]", i), err)
		}
		s.Steps = append(s.Steps, made)
	}
	return s, nil
}

func parseStep(raw []byte) (Step, error) {
	if bytes.HasPrefix(raw, []byte(`"`)) {
		var s Step
		return s, strict(raw, &s.Fault)
	}
	type plain Step // without UnmarshalJSON
	var s plain
	err := strict(raw, &s)
	return Step(s), err
}

// UnmarshalJSON reads a step, or a bare string as its fault.
func (s *Step) UnmarshalJSON(raw []byte) error {
	made, err := parseStep(bytes.TrimSpace(raw))
	if err == nil {
		*s = made
	}
	return err
}

// maxTokens is more than a script of MaxSteps steps with MaxStepFields fields
// each can have.
const maxTokens = 20_000

// fewTokens bounds what a text takes when it is decoded, before it is: a million
// values of two bytes would take a hundred. Where the text is malformed, the
// decoding says so.
func fewTokens(raw []byte) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	for range maxTokens {
		if _, err := d.Token(); err != nil {
			return true
		}
	}
	return false
}

// strict decodes one JSON value and nothing after it; fields that v does not
// have are errors.
func strict(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return nil
}

// fieldOf names the field, below where it stands, that an error of
// encoding/json is about.
func fieldOf(at string, err error) error {
	var field, why string
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field, why = wrong.Field, wrong.Value+" where it cannot be"
	} else if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		field, why = strings.Trim(name, `"`), "unknown field"
		field = cutWord(field)
	} else {
		why = "not JSON: " + strings.TrimPrefix(err.Error(), "json: ")
	}
	switch {
	case at == "" && field == "":
		at = "script"
	case at == "":
		at = field
	case field != "":
		at += "." + field
	}
	return &ScriptError{at, why}
}

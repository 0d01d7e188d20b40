package control

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A description is openapi.json, with a note of each part that an answer has
// used.
type description struct {
	root map[string]any
	used map[string]bool
}

func described() (*description, error) {
	d := &description{used: map[string]bool{}}
	return d, json.Unmarshal(OpenAPI(), &d.root)
}

// at follows names from the root.
func (d *description) at(names ...string) (map[string]any, bool) {
	v := any(d.root)
	for _, n := range names {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		v = m[n]
	}
	m, ok := v.(map[string]any)
	return m, ok
}

// deref follows references of this file, and returns where it ended.
func (d *description) deref(s map[string]any, where string) (map[string]any, string, error) {
	for {
		ref, ok := s["$ref"].(string)
		if !ok {
			return s, where, nil
		}
		names := strings.TrimPrefix(ref, "#/")
		if s, ok = d.at(strings.Split(names, "/")...); !ok {
			return nil, "", fmt.Errorf("%s: nothing at %s", where, ref)
		}
		where = ref
	}
}

// check says how v breaks the schema. It knows what openapi.json uses, and
// refuses the rest.
func (d *description) check(schema map[string]any, v any, where string) error {
	s, where, err := d.deref(schema, where)
	if err != nil {
		return err
	}
	for word := range s {
		if !slices.Contains(knownWords, word) {
			return fmt.Errorf("%s: the test does not know %q", where, word)
		}
	}
	if one, ok := s["oneOf"].([]any); ok {
		fits := 0
		for _, each := range one {
			if d.check(each.(map[string]any), v, where) == nil {
				fits++
			}
		}
		if fits != 1 {
			return fmt.Errorf("%s: %v fits %d of them", where, v, fits)
		}
		return nil
	}
	if !slices.ContainsFunc(typesOf(s), func(t string) bool { return isType(t, v) }) {
		return fmt.Errorf("%s: %v is no %v", where, v, s["type"])
	}
	switch v := v.(type) {
	case map[string]any:
		return d.object(s, v, where)
	case []any:
		for i, each := range v {
			if err := d.check(s["items"].(map[string]any), each, fmt.Sprintf("%s[%d]", where, i)); err != nil {
				return err
			}
		}
	case string:
		return text(s, v, where)
	case float64:
		if least, ok := s["minimum"].(float64); ok && v < least {
			return fmt.Errorf("%s: %v is below %v", where, v, least)
		}
		if most, ok := s["maximum"].(float64); ok && v > most {
			return fmt.Errorf("%s: %v is above %v", where, v, most)
		}
	}
	return nil
}

var knownWords = []string{
	"additionalProperties", "default", "description", "enum", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
	"minimum", "oneOf", "pattern", "properties", "required", "type",
}

func text(s map[string]any, v, where string) error {
	if words, ok := s["enum"].([]any); ok && !slices.Contains(words, any(v)) {
		return fmt.Errorf("%s: %q is none of %v", where, v, words)
	}
	if p, ok := s["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) {
		return fmt.Errorf("%s: %q does not match %s", where, v, p)
	}
	return nil
}

func (d *description) object(s, v map[string]any, where string) error {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			return fmt.Errorf("%s: %s is missing", where, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p, ok := properties[name].(map[string]any)
		if ok {
			d.used[where+"/"+name] = true
		} else if p, ok = s["additionalProperties"].(map[string]any); !ok && s["additionalProperties"] == false {
			return fmt.Errorf("%s: %s is not described", where, name)
		}
		if p == nil {
			continue
		}
		if err := d.check(p, v[name], where+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

func typesOf(s map[string]any) []string {
	switch t := s["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var list []string
		for _, each := range t {
			list = append(list, each.(string))
		}
		return list
	}
	return nil
}

func isType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

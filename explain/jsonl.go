package explain

import (
	"encoding/json"
	"fmt"
	"strings"
)

// mostLine bounds a line of [Line]: longer ones are an error.
const mostLine = 16 << 20

// Line answers one line of JSON with one line of JSON: a string, or an object
// with a member "text". The members id, name and line of the object are
// repeated in the answer, so that the two can be matched; the rest is ignored.
// The second result tells whether every record of the text was recognised. An
// error says what is wrong with the line; no answer is given then.
func Line(line []byte) ([]byte, bool, error) {
	if len(line) > mostLine {
		return nil, false, fmt.Errorf("a line of %d bytes: at most %d are read", len(line), mostLine)
	}
	var in struct {
		ID   json.RawMessage `json:"id"`
		Name json.RawMessage `json:"name"`
		Line json.RawMessage `json:"line"`
		Text *string         `json:"text"`
	}
	if strings.HasPrefix(strings.TrimLeft(string(line[:min(len(line), 64)]), " \t"), `"`) {
		if err := json.Unmarshal(line, &in.Text); err != nil {
			return nil, false, fmt.Errorf("not a JSON string: %w", err)
		}
	} else if err := json.Unmarshal(line, &in); err != nil {
		return nil, false, fmt.Errorf("not a JSON object: %w", err)
	}
	if in.Text == nil {
		return nil, false, fmt.Errorf("no member %q", "text")
	}
	out := struct {
		ID   json.RawMessage `json:"id,omitempty"`
		Name json.RawMessage `json:"name,omitempty"`
		Line json.RawMessage `json:"line,omitempty"`
		Result
	}{in.ID, in.Name, in.Line, Text([]byte(*in.Text))}
	b, err := json.Marshal(out)
	if err != nil {
		return nil, false, fmt.Errorf("write the answer: %w", err)
	}
	return b, out.Recognised(), nil
}

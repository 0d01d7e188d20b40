package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// renderJSON prints the report's JSON form, indented.
func renderJSON(w io.Writer, r Report) error { return writeJSON(w, r, "  ") }

// writeJSON prints value in JSON without a character that could reach a
// terminal raw, on one line where indent is empty.
func writeJSON(w io.Writer, value any, indent string) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(value); err != nil {
		return fmt.Errorf("encode json: %w", err)
	}
	_, err := io.WriteString(w, safeJSON(buf.String()))
	return err
}

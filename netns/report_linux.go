package netns

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// reportMark begins an answer that is no result but a step's failure.
const reportMark = "netns: unavailable "

// A report is an [Unavailable] on its way to the parent: an error's value does
// not cross processes, its text does.
type report struct {
	Step  string `json:"step"`
	Error string `json:"error"`
}

// writeReport writes u to w in the form that readReport knows.
func writeReport(w io.Writer, u *Unavailable) error {
	text, err := json.Marshal(report{Step: u.Step, Error: u.Err.Error()})
	if err != nil {
		return fmt.Errorf("report a failed step: %w", err)
	}
	if _, err := w.Write(append([]byte(reportMark), text...)); err != nil {
		return fmt.Errorf("report a failed step: %w", err)
	}
	return nil
}

// readReport returns the failed step that a child answered with; nil if the
// answer is a result.
func readReport(answer []byte) (*Unavailable, error) {
	text, ok := bytes.CutPrefix(answer, []byte(reportMark))
	if !ok {
		return nil, nil
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("read the child's report: %w", err)
	}
	return &Unavailable{Step: r.Step, Err: errors.New(r.Error)}, nil
}

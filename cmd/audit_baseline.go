package cmd

import (
	"bytes"
	"errors"
	"io/fs"
	"os"

	"github.com/retry-lab/retry-lab/audit"
	"github.com/retry-lab/retry-lab/golden"
)

// readBaseline reads a baseline's file.
func readBaseline(name string) (golden.Table, error) {
	f, err := os.Open(name)
	if err != nil {
		return golden.Table{}, usageError("write one with --write-baseline", "cannot read the baseline %s: %v", name, cause(err))
	}
	defer f.Close() // only read
	t, err := audit.ReadBaseline(name, f)
	if err != nil {
		return golden.Table{}, brokenError("", err)
	}
	return t, nil
}

// writeBaseline brings a baseline's file up to date with rep, or makes it.
func writeBaseline(name string, rep audit.Report) error {
	var existing *golden.Table
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		t, err := readBaseline(name)
		if err != nil {
			return err
		}
		existing = &t
	}
	t, err := rep.Baseline(existing)
	if err != nil {
		return brokenError("", err)
	}
	var b bytes.Buffer
	if err := golden.Write(&b, t); err != nil {
		return brokenError("", err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		return brokenError("", err)
	}
	return nil
}

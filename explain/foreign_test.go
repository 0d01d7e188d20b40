package explain_test

import (
	"os"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/explain"
)

// Lines of logs in which nothing failed, code and prose: an answer to one
// would be a guess.
func TestHealthyTextsAreNotRecognised(t *testing.T) {
	for _, line := range fileLines(t, "testdata/healthy.txt") {
		if r := explain.Text([]byte(line)); r.Recognised() {
			t.Errorf("Text(%q) = %v by %v, want UNKNOWN", line, short(r.Operation), entries(r))
		}
	}
}

// Lines that servers write about connections that came to them.
func TestServersOwnLinesAreNoCallOfOurs(t *testing.T) {
	for _, line := range fileLines(t, "testdata/servers.txt") {
		op := explain.Text([]byte(line)).Operation
		if op == nil || op.Code != "NOT_CLIENT_SIDE" || op.Post != explain.CellUnknown {
			t.Errorf("Text(%q) = %v, want NOT_CLIENT_SIDE", line, short(op))
		}
	}
}

func fileLines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) < 30 {
		t.Fatalf("%s has %d lines, want 30 or more", path, len(lines))
	}
	return lines
}

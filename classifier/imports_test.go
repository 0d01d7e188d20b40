package classifier_test

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheClassifierNeedsNothingButTheStandardLibrary(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(out)); len(got) != 1 || !strings.HasSuffix(got[0], "/classifier") {
		t.Errorf("go list -deps: %v, want the package alone", got)
	}
}

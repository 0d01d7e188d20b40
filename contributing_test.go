package main_test

import (
	"os"
	"strings"
	"testing"
)

// The worked example is the code as it stands.
func TestContributingQuotesTheCodeAsItStands(t *testing.T) {
	page, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	code, from, err := readmeCode(string(page))
	if err != nil {
		t.Fatalf("CONTRIBUTING.md: %v", err)
	}
	if len(code) == 0 {
		t.Error("CONTRIBUTING.md has no example")
	}
	for i, name := range from {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("CONTRIBUTING.md: %v", err)
			continue
		}
		if !strings.Contains(flat(string(source)), flat(code[i])) {
			t.Errorf("CONTRIBUTING.md: this is not in %s:\n%s", name, code[i])
		}
	}
}

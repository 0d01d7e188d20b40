package service

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The table of ports in docs/serve.md is the list itself.
func TestTheDocsListEveryPort(t *testing.T) {
	page, err := os.ReadFile("../../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := "| port | what is there |\n|---|---|\n"
	for _, e := range open(t, Options{}).Endpoints() {
		rows += fmt.Sprintf("| `%s` | %s |\n", e.Name, e.Says)
	}
	if !strings.Contains(string(page), rows+"\n") {
		t.Errorf("docs/serve.md has another table of the ports than:\n%s", rows)
	}
}

package main_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/servers"
)

// quoted lists the code of a Markdown text that has a line <!-- from FILE -->
// above it, by file.
func quoted(markdown string) map[string][]string {
	found := map[string][]string{}
	lines := strings.Split(markdown, "\n")
	for i, line := range lines {
		name, ok := strings.CutPrefix(line, "<!-- from ")
		if !ok || i+1 == len(lines) || !strings.HasPrefix(lines[i+1], "```") {
			continue
		}
		if end := slices.Index(lines[i+2:], "```"); end >= 0 {
			name = strings.TrimSuffix(name, " -->")
			found[name] = append(found[name], strings.Join(lines[i+2:i+2+end], "\n"))
		}
	}
	return found
}

func serveDocs(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// The examples are the files that `make examples` and go test run.
func TestServeDocsQuoteTheExamplesAsTheyAre(t *testing.T) {
	page := serveDocs(t)
	if _, _, err := readmeCode(page); err != nil {
		t.Errorf("docs/serve.md: %v", err)
	}
	found := quoted(page)
	for name, codes := range found {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("docs/serve.md: %v", err)
			continue
		}
		for _, code := range codes {
			same := strings.TrimSuffix(string(source), "\n") == code
			if strings.HasSuffix(name, "_test.go") {
				same = strings.Contains(string(source), code)
			}
			if !same {
				t.Errorf("docs/serve.md: this is not %s as it is:\n%s", name, code)
			}
		}
	}
	examples, err := os.ReadDir("examples/serve")
	if err != nil {
		t.Fatal(err)
	}
	run, err := os.ReadFile("scripts/examples")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		if len(found["examples/serve/"+e.Name()]) == 0 {
			t.Errorf("docs/serve.md does not quote examples/serve/%s", e.Name())
		}
		if !strings.Contains(string(run), "'"+e.Name()+" ") {
			t.Errorf("scripts/examples does not run %s", e.Name())
		}
	}
	if len(examples) < 4 || len(found["servers/example_test.go"]) == 0 {
		t.Errorf("%d examples, %d from Go", len(examples), len(found["servers/example_test.go"]))
	}
}

// The table of faults is the list itself.
func TestServeDocsListEveryFault(t *testing.T) {
	page := serveDocs(t)
	rows := "| fault | what it does | HTTP |\n|---|---|---|\n"
	for _, f := range servers.Faults() {
		rows += fmt.Sprintf("| `%s` | %s | %s |\n", f.Name, f.Says, strings.Join(f.Protocols, ", "))
	}
	if !strings.Contains(page, rows+"\n") {
		t.Errorf("docs/serve.md has another table of the faults than:\n%s", rows)
	}
}

package main_test

import (
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

// wellKnown are methods whose contract is that of an interface everybody
// knows; a comment could only repeat it.
var wellKnown = []string{"Error", "Is", "String", "Unwrap", "MarshalJSON", "MarshalText", "UnmarshalText"}

// undocumented lists the packages without a package comment, and the exported
// names without a comment of their own. A comment on a group of constants or
// variables covers the group, as it does on the documentation page.
func undocumented(files []sourceFile) []string {
	var missing []string
	var packages []string // in the order found
	described := map[string]bool{}
	for _, f := range files {
		if f.test {
			continue
		}
		if !slices.Contains(packages, f.pkg) {
			packages = append(packages, f.pkg)
		}
		if f.ast.Doc != nil {
			described[f.pkg] = true
		}
		for _, d := range f.ast.Decls {
			missing = append(missing, undocumentedIn(f, d)...)
		}
	}
	for _, p := range packages {
		if !described[p] {
			missing = append(missing, fmt.Sprintf("%q: package comment is missing", p))
		}
	}
	return missing
}

// undocumentedIn lists what one declaration leaves without a comment.
func undocumentedIn(f sourceFile, d ast.Decl) []string {
	var missing []string
	need := func(name *ast.Ident, ok bool) {
		if name.IsExported() && !ok {
			missing = append(missing, fmt.Sprintf("%s: %s has no comment of its own", f.at(name), name.Name))
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil && (!receiver(d).IsExported() || slices.Contains(wellKnown, d.Name.Name)) {
			break
		}
		need(d.Name, says(d.Doc, d.Name.Name))
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				need(spec.Name, says(spec.Doc, spec.Name.Name) || len(d.Specs) == 1 && says(d.Doc, spec.Name.Name))
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					need(name, d.Doc != nil || spec.Doc != nil || spec.Comment != nil)
				}
			}
		}
	}
	return missing
}

// receiver is the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) *ast.Ident {
	e := d.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x
		default:
			return ast.NewIdent("_")
		}
	}
}

// says reports whether a comment is about name, which stands among its first
// three words ("A Failure is …"), and says something: two words more.
func says(doc *ast.CommentGroup, name string) bool {
	words := strings.Fields(doc.Text())
	return len(words) >= 3 && slices.ContainsFunc(words[:3], func(w string) bool {
		return strings.Trim(w, ".,:;()'") == name || strings.TrimSuffix(w, "'s") == name
	})
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, m := range undocumented(loadModule(t)) {
		t.Error(m)
	}
}

func TestDocumentationCheckCatchesWhatIsMissing(t *testing.T) {
	const text = `package a

type Bare struct{}

// A Thing is documented.
type Thing struct{}

func (t Thing) Error() string { return "" }
func (t *Thing) Do()          {}

// Stub ...
func Stub() {}

// Renamed used to be called so.
func Function() {}

type hidden struct{}

func (h hidden) Do() {}

const (
	One = 1
	Two = 2 // documented
)

// Colours are documented together.
const (
	Red  = "red"
	Blue = "blue"
)
`
	wantComplaints(t, undocumented(loadText(t, "a/a.go", text)),
		"Bare has no comment of its own", "Do has no comment of its own", "Stub has no comment of its own",
		"Function has no comment of its own", "One has no comment of its own", `"a": package comment is missing`)
}

// readmeCode lists the Go code of a Markdown text together with the file that
// the line before it names: <!-- from servers/example_test.go -->.
func readmeCode(markdown string) (code, from []string, err error) {
	lines := strings.Split(markdown, "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] != "```go" {
			continue
		}
		name, ok := strings.CutPrefix(lines[max(i-1, 0)], "<!-- from ")
		if !ok {
			return nil, nil, fmt.Errorf("line %d: Go code without the line <!-- from FILE --> above it", i+1)
		}
		end := slices.Index(lines[i:], "```")
		if end < 0 {
			return nil, nil, fmt.Errorf("line %d: code without an end", i+1)
		}
		code, from = append(code, strings.Join(lines[i+1:i+end], "\n")), append(from, strings.TrimSuffix(name, " -->"))
		i += end
	}
	return code, from, nil
}

// flat removes indentation, so that code can be compared with the body of the
// function that it was taken from.
func flat(code string) string {
	lines := strings.Split(code, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Go code in the README is a piece of an Example that is compiled and run.
func TestReadmeCodeIsTakenFromTestedExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	code, from, err := readmeCode(string(readme))
	if err != nil {
		t.Fatalf("README.md: %v", err)
	}
	for i, name := range from {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("README.md: %v", err)
			continue
		}
		if !strings.HasSuffix(name, "_test.go") || !strings.Contains(flat(string(source)), flat(code[i])) {
			t.Errorf("README.md: this is not in a test file %s:\n%s", name, code[i])
		}
	}
}

func TestReadmeCodeNeedsItsSource(t *testing.T) {
	code, from, err := readmeCode("a\n<!-- from a/a_test.go -->\n```go\n\tf()\n```\n")
	if err != nil || len(code) != 1 || code[0] != "\tf()" || from[0] != "a/a_test.go" {
		t.Errorf("readmeCode = %q, %q, %v", code, from, err)
	}
	for _, text := range []string{"```go\nf()\n```\n", "a\n```go\nf()\n```\n", "<!-- from a_test.go -->\n```go\nf()\n"} {
		if code, _, err := readmeCode(text); err == nil {
			t.Errorf("readmeCode(%q) = %q, want an error", text, code)
		}
	}
}

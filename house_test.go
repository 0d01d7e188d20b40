package main_test

import (
	"fmt"
	"go/ast"
	"slices"
	"testing"
)

// maxLines is the longest a production file may be.
const maxLines = 400

// belowCmd are what only cmd (or a program of its own) may use: a library that
// prints, exits, or reads flags and environment cannot be used by others.
var belowCmd = map[string][]string{
	"os":       {"Args", "Environ", "Exit", "Getenv", "LookupEnv", "Setenv", "Stderr", "Stdout", "Unsetenv"},
	"fmt":      {"Print", "Printf", "Println"},
	"flag":     {"*"},
	"log":      {"Default", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln", "Print", "Printf", "Println", "SetFlags", "SetOutput", "SetPrefix"},
	"log/slog": {"Debug", "DebugContext", "Default", "Error", "ErrorContext", "Info", "InfoContext", "Log", "LogAttrs", "SetDefault", "Warn", "WarnContext"},
}

// nowhere are what no production code may use, main.go's exit aside.
var nowhere = map[string][]string{
	"os":   {"Exit"},
	"log":  {"Fatal", "Fatalf", "Fatalln"},
	"time": {"Sleep"}, // cannot be interrupted
}

// houseBreaches lists where production files break the rules above, are too
// long, or do their work in init.
func houseBreaches(files []sourceFile) []string {
	var breaches []string
	for _, f := range files {
		if f.test {
			continue
		}
		if f.lines > maxLines {
			breaches = append(breaches, fmt.Sprintf("%s has %d lines, more than %d", f.path, f.lines, maxLines))
		}
		names := f.imports()
		program := f.ast.Name.Name == "main"
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "init" && n.Recv == nil {
					breaches = append(breaches, f.at(n)+": init")
				}
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				if !ok {
					break
				}
				p := names[x.Name]
				if !program && lists(nowhere, p, n.Sel.Name) || !program && f.pkg != "cmd" && lists(belowCmd, p, n.Sel.Name) {
					breaches = append(breaches, fmt.Sprintf("%s: %s.%s", f.at(n), p, n.Sel.Name))
				}
			}
			return true
		})
	}
	return breaches
}

// lists reports whether table names name of package p.
func lists(table map[string][]string, p, name string) bool {
	return slices.Contains(table[p], name) || slices.Contains(table[p], "*")
}

func TestProductionCodeKeepsTheHouseRules(t *testing.T) {
	for _, breach := range houseBreaches(loadModule(t)) {
		t.Error(breach)
	}
}

func TestHouseRulesCatchABreach(t *testing.T) {
	const text = `package a

import (
	"fmt"
	"io"
	sys "os"
)

func init() {}

func f(w io.Writer) {
	fmt.Fprintln(w)
	fmt.Println()
	sys.Exit(1)
}
`
	wantComplaints(t, houseBreaches(loadText(t, "a/a.go", text)), ": init", ": fmt.Println", ": os.Exit")
	wantComplaints(t, houseBreaches(loadText(t, "cmd/a.go", text)), ": init", ": os.Exit")
	wantComplaints(t, houseBreaches(loadText(t, "a/a_test.go", text)))

	long := "package a\n"
	for range maxLines {
		long += "\n"
	}
	wantComplaints(t, houseBreaches(loadText(t, "a/long.go", long)), "has 401 lines, more than 400")
}

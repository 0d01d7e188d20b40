package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// An importRule says what a package may import directly. Whatever it does not
// name is forbidden, but for the standard library.
type importRule struct {
	pkg    string   // folder below the module's root
	ours   []string // packages of this module; "*" is all but the root
	others []string // packages of other modules, with all below them
}

// importRules has one row for every package: arrows point one way, from the
// root to the classifier, and the look of the output stays in cmd.
var importRules = []importRule{
	{pkg: "", ours: []string{"cmd"}},
	{pkg: "cmd", ours: []string{"*"}, others: []string{
		"github.com/spf13/cobra", "github.com/spf13/pflag",
		"github.com/olekukonko/tablewriter",
		"github.com/fatih/color",
		"golang.org/x/term", "golang.org/x/sys",
	}},
	{pkg: "scenarios", ours: []string{"servers", "retry", "trace", "netns", "classifier"}, others: []string{"golang.org/x/sys"}},
	{pkg: "audit", ours: []string{"servers", "netns", "golden", "classifier"}, others: []string{"golang.org/x/sys"}},
	{pkg: "explain", ours: []string{"classifier"}, others: []string{"github.com/klauspost/compress"}},
	{pkg: "golden", ours: []string{"classifier"}},
	{pkg: "trace", ours: []string{"classifier"}},
	{pkg: "retry", ours: []string{"trace", "classifier"}},
	{pkg: "servers", others: []string{"golang.org/x/net/http2", "golang.org/x/net/dns/dnsmessage", "golang.org/x/sys"}},
	{pkg: "servers/control", ours: []string{"servers"}},
	{pkg: "servers/metrics", ours: []string{"servers"}, others: []string{"github.com/prometheus/client_golang"}},
	{pkg: "servers/service", ours: []string{"servers", "servers/control", "servers/metrics"}},
	{pkg: "netns", others: []string{"golang.org/x/sys"}},
	{pkg: "classifier"},
	{pkg: "scripts/docs", ours: []string{"golden", "scenarios", "explain", "classifier"}},
	{pkg: "scripts/soak"},
	{pkg: "scripts/child"},
	{pkg: "scripts/benchserve", ours: []string{"scripts/child", "servers"}},
	{pkg: "scripts/soakserve", ours: []string{"scripts/child", "servers"}},
	{pkg: "examples/clients"}, // tests; the clients are programs, and show what others would write
	{pkg: "examples/clients/nethttp"},
	{pkg: "examples/clients/engine", ours: []string{"retry"}},
}

// Every test may import these besides what its package may.
var (
	testOurs   = []string{"servers", "trace", "classifier"}
	testOthers = []string{"go.uber.org/goleak", "pgregory.net/rapid", "github.com/rogpeppe/go-internal"}
)

// testOnly are parts of the standard library that register flags or end the
// process, and so belong in tests.
var testOnly = []string{"testing", "net/http/httptest"}

// importBreaches lists every import that the rules do not allow.
func importBreaches(files []sourceFile, rules []importRule) []string {
	var breaches []string
	for _, f := range files {
		i := slices.IndexFunc(rules, func(r importRule) bool { return r.pkg == f.pkg })
		if i < 0 {
			breaches = append(breaches, fmt.Sprintf("%s: package %q has no row in importRules", f.path, f.pkg))
			continue
		}
		for _, spec := range f.ast.Imports {
			if p := strings.Trim(spec.Path.Value, `"`); !allowed(rules[i], f.test, p) {
				breaches = append(breaches, fmt.Sprintf("%s: %q may not import %s", f.at(spec), f.pkg, p))
			}
		}
	}
	return breaches
}

// allowed reports whether a file of the rule's package may import p.
func allowed(r importRule, test bool, p string) bool {
	if ours, ok := strings.CutPrefix(p, module+"/"); ok {
		return slices.Contains(r.ours, "*") || slices.Contains(r.ours, ours) ||
			test && (ours == r.pkg || slices.Contains(testOurs, ours))
	}
	if standard(p) {
		return test || !below(p, testOnly)
	}
	return below(p, r.others) || test && below(p, testOthers)
}

// standard reports whether p is of the standard library: only other modules
// have a dot in their first element. "C" is neither.
func standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return p != "C" && !strings.Contains(first, ".")
}

// below reports whether p is one of the roots or a package under one.
func below(p string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return p == root || strings.HasPrefix(p, root+"/")
	})
}

func TestPackagesImportOnlyWhatTheyMay(t *testing.T) {
	for _, breach := range importBreaches(loadModule(t), importRules) {
		t.Error(breach)
	}
}

// A direct import that is allowed could still bring in another module.
func TestClassifierDependsOnTheStandardLibraryOnly(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
		t.Run(goos, func(t *testing.T) {
			list := exec.CommandContext(t.Context(), "go", "list", "-deps",
				"-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./classifier")
			list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH=amd64", "CGO_ENABLED=0")
			var stderr strings.Builder
			list.Stderr = &stderr
			out, err := list.Output()
			if err != nil {
				t.Fatalf("%v: %v\n%s", list, err, &stderr)
			}
			if got := strings.TrimSpace(string(out)); got != module+"/classifier" {
				t.Errorf("%v lists\n%s\nwant only the classifier itself", list, got)
			}
		})
	}
}

func TestImportRulesCatchABreach(t *testing.T) {
	rules := []importRule{{pkg: "a", ours: []string{"b"}, others: []string{"example.org/x"}}}
	rows := []struct {
		why, file, imports string
		allowed            bool
	}{
		{"the standard library is free", "a/a.go", "net/http", true},
		{"a package of ours that the rule names", "a/a.go", module + "/b", true},
		{"a package of ours that it does not name", "a/a.go", module + "/c", false},
		{"what lies below an allowed package of ours is another package", "a/a.go", module + "/b/c", false},
		{"another module's package, and one below it", "a/a.go", "example.org/x/y", true},
		{"a name that only begins like an allowed one", "a/a.go", "example.org/xy", false},
		{"cgo is no part of the standard library", "a/a.go", "C", false},
		{"testing in production code", "a/a.go", "testing", false},
		{"httptest in production code registers a flag", "a/a.go", "net/http/httptest", false},
		{"httptest in a test", "a/a_test.go", "net/http/httptest", true},
		{"a test imports its own package", "a/a_test.go", module + "/a", true},
		{"a test leans on the fault servers", "a/a_test.go", module + "/servers", true},
		{"goleak in a test", "a/a_test.go", "go.uber.org/goleak", true},
		{"goleak in production code", "a/a.go", "go.uber.org/goleak", false},
		{"a file for another system is held to the rules too", "a/a_windows.go", module + "/c", false},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			files := loadText(t, r.file, fmt.Sprintf("package a\n\nimport _ %q\n", r.imports))
			if got := importBreaches(files, rules); (len(got) == 0) != r.allowed {
				t.Errorf("importBreaches of %s importing %q = %q, want allowed %v", r.file, r.imports, got, r.allowed)
			}
		})
	}
	wantComplaints(t, importBreaches(loadText(t, "new/x.go", "package new\n"), rules), `package "new" has no row in importRules`)
}

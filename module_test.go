// The tests of this package hold the module to its own rules: who imports
// whom, what is documented, and what may not be done below cmd. They read
// every .go file whatever its build tags, so that a file for another system is
// held to them too.
package main_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"
)

// module is the path that go.mod declares.
const module = "github.com/retry-lab/retry-lab"

// A sourceFile is one .go file of the module.
type sourceFile struct {
	path  string // from the module's root, with slashes
	pkg   string // its folder: "cmd", "servers/metrics"; "" is the root
	test  bool
	lines int
	fset  *token.FileSet
	ast   *ast.File
}

// at is where n stands, for a complaint.
func (f sourceFile) at(n ast.Node) string { return f.fset.Position(n.Pos()).String() }

// imports maps the name that the file gives each import to its path.
func (f sourceFile) imports() map[string]string {
	names := map[string]string{}
	for _, spec := range f.ast.Imports {
		p := strings.Trim(spec.Path.Value, `"`)
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

// load parses the module below fsys. Nested modules, testdata and hidden
// folders are no part of it.
func load(fsys fs.FS) ([]sourceFile, error) {
	var files []sourceFile
	fset := token.NewFileSet()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && foreign(fsys, name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, sourceFile{
			path: name, pkg: strings.TrimPrefix(path.Dir(name), "."),
			test:  strings.HasSuffix(name, "_test.go"),
			lines: bytes.Count(text, []byte("\n")), fset: fset, ast: parsed,
		})
		return nil
	})
	return files, err
}

// foreign reports whether the go command would not count dir to this module.
func foreign(fsys fs.FS, dir string) bool {
	base := path.Base(dir)
	if base == "testdata" || base[0] == '.' || base[0] == '_' {
		return true
	}
	_, err := fs.Stat(fsys, path.Join(dir, "go.mod"))
	return err == nil
}

// loadModule is load of this checkout; it fails the test if there is nothing.
func loadModule(t *testing.T) []sourceFile {
	t.Helper()
	files, err := load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found %d .go files; is this the module's root?", len(files))
	}
	return files
}

// loadText is load of one file of the given text.
func loadText(t *testing.T, name, text string) []sourceFile {
	t.Helper()
	files, err := load(fstest.MapFS{name: {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// wantComplaints compares what a check found with what it should find, by the
// part of each complaint after its position.
func wantComplaints(t *testing.T, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i := range want {
		if !strings.HasSuffix(got[i], want[i]) {
			t.Errorf("complaint %d is %q, want it to end in %q", i, got[i], want[i])
		}
	}
}

func TestLoadLeavesOutWhatIsNotOfTheModule(t *testing.T) {
	files, err := load(fstest.MapFS{
		"main.go":                {Data: []byte("package main\n")},
		"a/b/c_windows.go":       {Data: []byte("package b\n")},
		"a/testdata/x.go":        {Data: []byte("not Go")},
		".hidden/x.go":           {Data: []byte("not Go")},
		"examples/other/go.mod":  {Data: []byte("module other\n")},
		"examples/other/main.go": {Data: []byte("not Go")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		got[f.path] = f.pkg
	}
	if len(got) != 2 || got["main.go"] != "" || got["a/b/c_windows.go"] != "a/b" {
		t.Errorf("load found %v, want main.go of the root and c_windows.go of a/b", got)
	}
}

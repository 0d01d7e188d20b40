package golden

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func saved() Table {
	return Table{Group: "g", Columns: []string{"get"}, Rows: []Row{{ID: "g/a", Cells: []Cell{Values("yes")}}}}
}

// other is a table that a file may hold before saved takes its place.
func other() Table {
	return Table{Group: "g", Columns: []string{"get"}, Rows: []Row{{ID: "g/a", Cells: []Cell{Values("no")}}}}
}

func encoded(t *testing.T, table Table) string {
	t.Helper()
	data, err := table.encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// place lays a file linux/g.md with text and returns the folder and the file.
func place(t *testing.T, text string) (dir, name string) {
	t.Helper()
	dir = t.TempDir()
	name = filepath.Join(dir, "linux", "g.md")
	if err := os.Mkdir(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, name
}

// holds checks that the folder of name has that file alone, with text.
func holds(t *testing.T, name, text string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != text {
		t.Errorf("the file holds %q, %v\nwant %q", got, err, text)
	}
	entries, err := os.ReadDir(filepath.Dir(name))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{filepath.Base(name)}; !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

func TestSaveCreatesTheFileAndItsFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "own")
	if err := Save(dir, "linux/curl", saved(), Standard()); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(dir, "linux", "curl", "g.md"), encoded(t, saved()))
	set, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if table, _, err := set.Load("linux/curl", "g", Standard()); err != nil || !same(table, saved()) {
		t.Errorf("Load = %+v, %v", table, err)
	}
}

func TestSaveReplacesATableAndKeepsItsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no permission bits to keep")
	}
	for _, mode := range []fs.FileMode{0o600, 0o664, 0o755} {
		dir, name := place(t, encoded(t, other()))
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if err := Save(dir, "linux", saved(), Standard()); err != nil {
			t.Fatal(err)
		}
		holds(t, name, encoded(t, saved()))
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("the permissions are %v, %v, want %v", info.Mode().Perm(), err, mode)
		}
	}
}

func TestSaveLeavesAFileAloneThatHoldsTheTable(t *testing.T) {
	dir, name := place(t, encoded(t, saved()))
	none := func(string, string) (temporary, error) { return nil, errors.New("a file was created") }
	if err := save(dir, "linux", saved(), Standard(), none); err != nil {
		t.Error(err)
	}
	holds(t, name, encoded(t, saved()))
}

func TestSaveFollowsASymbolicLink(t *testing.T) {
	dir, name := place(t, "")
	target := filepath.Join(t.TempDir(), "shared.md")
	if err := os.WriteFile(target, []byte(encoded(t, other())), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := Save(dir, "linux", saved(), Standard()); err != nil {
		t.Fatal(err)
	}
	holds(t, target, encoded(t, saved()))
	if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is now %v, %v", info, err)
	}
}

func TestSaveFollowsALinkThatLeadsNowhereYet(t *testing.T) {
	for _, tt := range []struct{ why, link, target string }{
		{"in the same folder", "shared.md", "linux/shared.md"},
		{"in a folder that does not exist", "../team/shared.md", "team/shared.md"},
		{"through another link", "next.md", "team/shared.md"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			dir, name := place(t, "")
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.FromSlash(tt.link), name); err != nil {
				t.Skipf("no symbolic links here: %v", err)
			}
			if err := os.Symlink(filepath.FromSlash("../team/shared.md"), filepath.Join(dir, "linux", "next.md")); err != nil {
				t.Fatal(err)
			}
			if err := Save(dir, "linux", saved(), Standard()); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(tt.target))); err != nil || string(got) != encoded(t, saved()) {
				t.Errorf("the target holds %q, %v", got, err)
			}
			if info, err := os.Lstat(name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
				t.Errorf("the link is now %v, %v", info, err)
			}
		})
	}
}

func TestALinkCountsFromTheFolderItLiesIn(t *testing.T) {
	dir, real := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(real, "linux"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(real, "linux"), filepath.Join(dir, "linux")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := os.Symlink(filepath.FromSlash("../shared.md"), filepath.Join(real, "linux", "g.md")); err != nil {
		t.Fatal(err)
	}
	if err := Save(dir, "linux", saved(), Standard()); err != nil {
		t.Fatal(err)
	}
	holds(t, filepath.Join(dir, "linux", "g.md"), encoded(t, saved()))
	if _, err := os.Stat(filepath.Join(real, "shared.md")); err != nil {
		t.Error(err)
	}
}

func TestALinkInACircleIsAnError(t *testing.T) {
	dir, name := place(t, "")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("g.md", name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := Save(dir, "linux", saved(), Standard()); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line", err)
	}
	if _, err := follow(name); err == nil {
		t.Error("follow found the end of a circle")
	}
}

func TestABrokenFileIsNeverOverwritten(t *testing.T) {
	good := encoded(t, other())
	for _, tt := range []struct{ why, text, want string }{
		{"a word that nobody knows", strings.Replace(good, "no", "on", 1), `linux/g.md:7: get: unknown word "on": want yes, no, modified, -`},
		{"a column that nobody knows", strings.Replace(good, "get", "got", 1), "linux/g.md:5: unknown column got"},
		{"notes that would be lost", good + "\nDo not touch.\n", "linux/g.md:9: text after the table"},
		{"another file altogether", "package main\n", "linux/g.md:1: not a title"},
		{"an empty file", "", "linux/g.md:1: the file ends before its title"},
	} {
		dir, name := place(t, tt.text)
		err := Save(dir, "linux", saved(), Standard())
		if _, ok := errors.AsType[*SyntaxError](err); !ok || !strings.Contains(filepath.ToSlash(err.Error()), tt.want) {
			t.Errorf("%s: Save = %v, want %s", tt.why, err, tt.want)
		}
		holds(t, name, tt.text)
	}
}

func TestATableThatLoadWouldRefuseIsNotSaved(t *testing.T) {
	good := encoded(t, other())
	cell := func(c Cell) Table {
		return Table{Group: "g", Columns: []string{"get"}, Rows: []Row{{ID: "g/a", Cells: []Cell{c}}}}
	}
	column := cell(Values("yes"))
	column.Columns = []string{"got"}
	for _, tt := range []struct {
		why, platform string
		table         Table
		want          string
	}{
		{"a word that nobody knows", "linux", cell(Values("perhaps")), `g.md:7: get: unknown word "perhaps"`},
		{"a verdict that varies", "linux", cell(Values("yes", "no")), `g.md:7: get: "yes or no": this column holds one value`},
		{"a verdict that is anything", "linux", cell(Any()), `g.md:7: get: "*": this column holds one value`},
		{"a column that nobody knows", "linux", column, "g.md:5: unknown column got"},
		{"a row of another group", "linux", Table{Group: "g", Rows: []Row{{ID: "h/a"}}}, `id "h/a"`},
		{"a platform that leaves the folder", "linux/../..", saved(), `"linux/../.." is not a platform`},
		{"a group that leaves the folder", "linux", Table{Group: "../g"}, `"../g" is not a group`},
	} {
		dir, name := place(t, good)
		if err := Save(dir, tt.platform, tt.table, Standard()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Save = %v, want it to say %q", tt.why, err, tt.want)
		}
		holds(t, name, good)
	}
}

// faulty is a file of which one operation fails.
type faulty struct {
	*os.File
	write, chmod, sync, close error
}

func (f faulty) Write(data []byte) (int, error) {
	if f.write == nil {
		return f.File.Write(data)
	}
	n, err := f.File.Write(data[:len(data)/2])
	return n, errors.Join(err, &fs.PathError{Op: "write", Path: f.Name(), Err: f.write})
}

func (f faulty) Chmod(mode fs.FileMode) error { return errors.Join(f.chmod, f.File.Chmod(mode)) }
func (f faulty) Sync() error                  { return errors.Join(f.sync, f.File.Sync()) }
func (f faulty) Close() error                 { return errors.Join(f.close, f.File.Close()) }

func TestWhereADiskFailsTheOldTableStaysAndNothingElse(t *testing.T) {
	full := syscall.ENOSPC
	for _, tt := range []struct {
		why   string
		fault faulty
	}{
		{"full in the middle of writing", faulty{write: full}},
		{"permissions cannot be set", faulty{chmod: full}},
		{"full when it comes to the disk", faulty{sync: full}},
		{"full when it is closed", faulty{close: full}},
		{"two faults at once", faulty{write: full, close: syscall.EIO}},
	} {
		for _, exists := range []bool{true, false} {
			dir, name := place(t, encoded(t, other()))
			if !exists {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			create := func(dir, pattern string) (temporary, error) {
				f, err := os.CreateTemp(dir, pattern)
				fault := tt.fault
				fault.File = f
				return fault, err
			}
			err := save(dir, "linux", saved(), Standard(), create)
			want := "cannot save golden table " + name + ": " + full.Error()
			if err == nil || err.Error() != want || !errors.Is(err, full) {
				t.Errorf("%s: save = %v, want %s", tt.why, err, want)
			}
			if exists {
				holds(t, name, encoded(t, other()))
			} else if entries, err := os.ReadDir(filepath.Dir(name)); err != nil || len(entries) > 0 {
				t.Errorf("%s: the folder holds %v, %v", tt.why, entries, err)
			}
		}
	}
}

func TestWhereTheTemporaryFileCannotBeRemovedTheErrorSaysSo(t *testing.T) {
	dir, name := place(t, encoded(t, other()))
	create := func(dir, pattern string) (temporary, error) {
		f, err := os.CreateTemp(dir, pattern)
		if err != nil {
			return nil, err
		}
		return faulty{File: f, sync: errors.Join(syscall.ENOSPC, os.Remove(f.Name()))}, nil
	}
	err := save(dir, "linux", saved(), Standard(), create)
	if err == nil || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), ".tmp is left: ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("save = %v, want the first error and the file that is left", err)
	}
	holds(t, name, encoded(t, other()))
}

func TestWithoutPermissionSaveSaysSoOnOneLine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows has no permission bits on folders")
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write to a folder that is read-only")
	}
	dir, name := place(t, encoded(t, other()))
	for _, tt := range []struct {
		why, locked, group string
		platform           string
	}{
		{"the table's folder is read-only", filepath.Dir(name), "g", "linux"},
		{"the folder above is read-only, and the platform is new", dir, "g", "darwin"},
	} {
		if err := os.Chmod(tt.locked, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(tt.locked, 0o755) })
		err := Save(dir, tt.platform, saved(), Standard())
		want := "cannot save golden table " + filepath.Join(dir, tt.platform, "g.md") + ": permission denied"
		if !errors.Is(err, fs.ErrPermission) || err.Error() != want {
			t.Errorf("%s: Save = %v, want %s", tt.why, err, want)
		}
		holds(t, name, encoded(t, other()))
	}
}

func TestAReadOnlyFileIsNotReplaced(t *testing.T) {
	dir, name := place(t, encoded(t, other()))
	if err := os.Chmod(name, 0o444); err != nil {
		t.Fatal(err)
	}
	err := Save(dir, "linux", saved(), Standard())
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "the file is read-only") {
		t.Errorf("Save = %v, want it to say that the file is read-only", err)
	}
	holds(t, name, encoded(t, other()))
	if err := os.Chmod(name, 0o644); err != nil { // windows removes no read-only file
		t.Fatal(err)
	}
}

func TestAFolderInTheFilesPlaceIsNotReplaced(t *testing.T) {
	dir, name := place(t, "")
	if err := errors.Join(os.Remove(name), os.Mkdir(name, 0o755)); err != nil {
		t.Fatal(err)
	}
	err := Save(dir, "linux", saved(), Standard())
	if want := "cannot save golden table " + name + ": not a regular file"; err == nil || err.Error() != want {
		t.Errorf("Save = %v, want %s", err, want)
	}
}

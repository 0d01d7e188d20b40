package golden_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/retry-lab/retry-lab/golden"
)

// folder lays files, by their slash-separated names, in a new folder.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t testing.TB, dir string) golden.Set {
	t.Helper()
	set, err := golden.Open(dir)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return set
}

func TestASetLoadsTheTablesOfAFolder(t *testing.T) {
	dir := folder(t, map[string]string{"linux/network.md": network, "linux/curl/network.md": network})
	for _, platform := range []string{"linux", "linux/curl"} {
		table, name, err := open(t, dir).Load(platform, "network", vocabulary)
		if err != nil {
			t.Errorf("Load(%q): %v", platform, err)
			continue
		}
		if want := filepath.ToSlash(dir) + "/" + platform + "/network.md"; name != want || table.File != want {
			t.Errorf("Load(%q) names the file %s and the table's %s, want %s", platform, name, table.File, want)
		}
		if !sameTable(table, networkTable()) {
			t.Errorf("Load(%q) = %+v", platform, table)
		}
	}
}

func TestAMissingTableCanBeToldFromABrokenOne(t *testing.T) {
	dir := folder(t, map[string]string{
		"linux/broken.md":  "# broken\n\n| x |\n",
		"linux/charge.md":  network,
		"linux/pipe.md/x":  "",
		"darwin":           "a file where a folder should be",
		"linux/network.md": network,
	})
	for _, tt := range []struct {
		why, platform, group, want string
		missing, broken            bool
	}{
		{"no file", "linux", "status", "cannot read golden table DIR/linux/status.md: ", true, false},
		{"no folder for the platform", "windows", "network", "cannot read golden table DIR/windows/network.md: ", true, false},
		{"a broken file", "linux", "broken", "DIR/linux/broken.md:3: want the line", false, true},
		{"the table of another group", "linux", "charge", "DIR/linux/charge.md:1: the table is of group network, the file is named after charge", false, true},
		{"a folder of that name", "linux", "pipe", "cannot read golden table DIR/linux/pipe.md: not a regular file", false, false},
		{"a platform that leaves the folder", "../linux", "network", `"../linux" is not a platform`, false, false},
		{"a platform that is absolute", "/etc", "network", `"/etc" is not a platform`, false, false},
		{"a group that leaves the folder", "linux", "../network", `"../network" is not a group`, false, false},
		{"no group", "linux", "", `"" is not a group`, false, false},
	} {
		_, name, err := open(t, dir).Load(tt.platform, tt.group, vocabulary)
		if err == nil {
			t.Errorf("%s: Load gives no error", tt.why)
			continue
		}
		_, broken := errors.AsType[*golden.SyntaxError](err)
		if missing := errors.Is(err, fs.ErrNotExist); missing != tt.missing || broken != tt.broken {
			t.Errorf("%s: Load = %v: missing %v, broken %v, want %v, %v", tt.why, err, missing, broken, tt.missing, tt.broken)
		}
		if text := strings.ReplaceAll(err.Error(), filepath.ToSlash(dir), "DIR"); !strings.Contains(text, tt.want) || strings.Contains(text, "\n") {
			t.Errorf("%s: Load says %q, want %q", tt.why, text, tt.want)
		}
		if name == "" {
			t.Errorf("%s: Load does not name the file", tt.why)
		}
	}
}

func TestAFileInPlaceOfAPlatformIsNotAMissingTable(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("windows reports a path below a file as not found")
	}
	set := open(t, folder(t, map[string]string{"darwin": ""}))
	if _, _, err := set.Load("darwin", "network", nil); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load = %v, want an error other than fs.ErrNotExist", err)
	}
	if groups, err := set.Groups("darwin"); err == nil {
		t.Errorf("Groups = %q, want an error", groups)
	}
}

func TestReadGivesTheFileAsItIs(t *testing.T) {
	const text = "broken\r\n\x1b"
	set := open(t, folder(t, map[string]string{"linux/network.md": text}))
	if data, name, err := set.Read("linux", "network"); err != nil || string(data) != text || name != set.Path("linux", "network") {
		t.Errorf("Read = %q, %q, %v", data, name, err)
	}
}

func TestAFileTooLargeIsNotReadToItsEnd(t *testing.T) {
	set := open(t, folder(t, map[string]string{"linux/network.md": strings.Repeat("\n", 3*golden.MaxBytes)}))
	if data, _, err := set.Read("linux", "network"); err != nil || len(data) != golden.MaxBytes+1 {
		t.Errorf("Read gives %d bytes, %v", len(data), err)
	}
	if _, _, err := set.Load("linux", "network", nil); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("Load = %v, want it to say that the file is too large", err)
	}
}

func TestGroupsAreTheTablesOfAPlatform(t *testing.T) {
	set := open(t, folder(t, map[string]string{"linux/status.md": "", "linux/network.md": "", "linux/README.md": "", "linux/.network.md.1.tmp": "",
		"linux/notes.txt": "", "linux/curl/status.md": "", "linux/http2.md": "", "linux/folder.md/x": ""}))
	for _, tt := range []struct {
		platform string
		want     []string
	}{
		{"linux", []string{"http2", "network", "status"}},
		{"linux/curl", []string{"status"}},
		{"plan9", nil},
	} {
		if got, err := set.Groups(tt.platform); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Groups(%q) = %q, %v, want %q", tt.platform, got, err, tt.want)
		}
	}
	if _, err := set.Groups(".."); err == nil {
		t.Error("Groups(..) gives no error")
	}
}

func TestAMisspeltFolderIsAnErrorAndNotAnEmptySet(t *testing.T) {
	dir := folder(t, map[string]string{"file": ""})
	set, err := golden.Open(filepath.Join(dir, "gloden"))
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "gloden") != 1 {
		t.Errorf("Open of a folder that is not there = %v", err)
	}
	if _, name, err := set.Load("linux", "network", nil); !errors.Is(err, fs.ErrNotExist) || !strings.HasSuffix(name, "/gloden/linux/network.md") {
		t.Errorf("Load from it = %s, %v", name, err)
	}
	if _, err := golden.Open(filepath.Join(dir, "file")); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("Open of a file = %v", err)
	}
}

func TestTheZeroSetHasNoTables(t *testing.T) {
	if _, _, err := (golden.Set{}).Load("linux", "network", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load = %v, want fs.ErrNotExist", err)
	}
	if groups, err := (golden.Set{}).Groups("linux"); err != nil || groups != nil {
		t.Errorf("Groups = %q, %v", groups, err)
	}
}

// A platform recorded for the first time has to be named in the embed directive
// too; until it is, its tables would be missing from the program.
func TestEveryRecordedTableShipsWithTheProgram(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	here, embedded := open(t, "."), golden.Embedded()
	platforms := 0
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "testdata" {
			continue
		}
		platforms++
		want, err := here.Groups(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := embedded.Groups(e.Name()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: embedded are %q, %v; the folder holds %q", e.Name(), got, err, want)
		}
	}
	if platforms == 0 {
		t.Error("no platform at all")
	}
	if got, want := embedded.Path("linux", "network"), "golden/linux/network.md"; got != want {
		t.Errorf("Path = %s, want %s", got, want)
	}
	if _, _, err := embedded.Load("plan9", "network", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Load of a platform that was never recorded = %v, want fs.ErrNotExist", err)
	}
}

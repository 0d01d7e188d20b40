package golden

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// files are the tables that ship with the program. A platform that has been
// recorded for the first time is added here.
//
//go:embed linux
var files embed.FS

// Set is a folder of golden tables, <platform>/<group>.md. It only reads. The
// zero Set has no tables.
type Set struct {
	fsys fs.FS
	base string // what the folder is called in messages and drifts, with slashes
}

// Embedded returns the tables that ship with the program. Their files are
// named as in the module: golden/linux/network.md.
func Embedded() Set { return Set{fsys: files, base: "golden"} }

// Open returns the tables in the folder dir. It fails where dir is not a folder
// that can be looked into, wrapping the cause: with a misspelt name every table
// would otherwise be missing, and nothing compared. With an error that wraps
// fs.ErrNotExist comes an empty Set of that name, for who will Save the first
// table there.
func Open(dir string) (Set, error) {
	set := Set{fsys: os.DirFS(dir), base: filepath.ToSlash(dir)}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return set, fmt.Errorf("cannot open golden folder %s: %w", printable(dir), plainCause(err))
	}
	if err != nil {
		return Set{}, fmt.Errorf("cannot open golden folder %s: %w", printable(dir), plainCause(err))
	}
	if !info.IsDir() {
		return Set{}, fmt.Errorf("cannot open golden folder %s: not a folder", printable(dir))
	}
	return set, nil
}

const extension = ".md"

// platformName is a folder of a Set: an operating system, or a client below it.
var platformName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*$`)

// Path returns the name of a group's file, which need not exist, as Load and
// the drifts give it.
func (s Set) Path(platform, group string) string {
	return path.Join(s.base, platform, group+extension)
}

// Load reads and parses a group's table and returns the name of its file, also
// along with an error. A table that is broken gives a *SyntaxError; the other
// errors are those of Read.
func (s Set) Load(platform, group string, vocab Vocabulary) (Table, string, error) {
	data, name, err := s.Read(platform, group)
	if err != nil {
		return Table{}, name, err
	}
	t, err := Parse(name, bytes.NewReader(data), vocab)
	if err != nil {
		return Table{}, name, err
	}
	if t.Group != group {
		return Table{}, name, &SyntaxError{File: name, Line: 1, Msg: fmt.Sprintf("the table is of group %s, the file is named after %s", t.Group, group)}
	}
	return t, name, nil
}

// Read returns the text of a group's table, as it is, and the name of its file,
// also along with an error. Where there is no table the error wraps
// fs.ErrNotExist, else the cause. Of a file larger than MaxBytes it returns one
// byte more than that, which no table can have.
func (s Set) Read(platform, group string) ([]byte, string, error) {
	name := s.Path(platform, group)
	data, err := s.read(platform, group)
	if err != nil {
		return nil, name, fmt.Errorf("cannot read golden table %s: %w", printable(name), plainCause(err))
	}
	return data, name, nil
}

func (s Set) read(platform, group string) ([]byte, error) {
	if err := checkPlace(platform, group); err != nil {
		return nil, err
	}
	if s.fsys == nil {
		return nil, fs.ErrNotExist
	}
	name := path.Join(platform, group+extension)
	info, err := fs.Stat(s.fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file") // opening a pipe would wait for its writer
	}
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

// checkPlace keeps a name from leaving the folder.
func checkPlace(platform, group string) error {
	if !platformName.MatchString(platform) {
		return fmt.Errorf("%s is not a platform", quote(platform))
	}
	if !groupName.MatchString(group) {
		return fmt.Errorf("%s is not a group", quote(group))
	}
	return nil
}

// Groups returns the groups that have a table for the platform, sorted; none
// where there is no folder for it. Other files in the folder are left alone.
func (s Set) Groups(platform string) ([]string, error) {
	if !platformName.MatchString(platform) {
		return nil, fmt.Errorf("cannot list golden tables: %s is not a platform", quote(platform))
	}
	if s.fsys == nil {
		return nil, nil
	}
	entries, err := fs.ReadDir(s.fsys, platform)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list golden tables in %s: %w", printable(path.Join(s.base, platform)), plainCause(err))
	}
	var groups []string
	for _, e := range entries {
		group, ok := strings.CutSuffix(e.Name(), extension)
		if ok && !e.IsDir() && groupName.MatchString(group) {
			groups = append(groups, group)
		}
	}
	slices.Sort(groups)
	return groups, nil
}

// plainCause strips what an error of package os says about the file, which the
// caller names by itself, and not by that of a temporary file.
func plainCause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

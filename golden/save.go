package golden

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Save writes t to <dir>/<platform>/<group>.md, creating the folders. The file
// is replaced in one step, with its permissions kept (0644 for a new one), so
// that a reader finds the old table or the new one; where anything fails, the
// old one stays as it was and no temporary file is left. A symbolic link is
// followed, a file that already holds t is not touched.
//
// It refuses what Load would refuse with the same vocabulary: in t, and in the
// file that is to be replaced, which gives a *SyntaxError. It also refuses to
// replace a file that is marked read-only. The error is one line that names the
// file and wraps the cause.
func Save(dir, platform string, t Table, vocab Vocabulary) error {
	return save(dir, platform, t, vocab, createTemp)
}

func save(dir, platform string, t Table, vocab Vocabulary, create creator) error {
	if err := checkPlace(platform, t.Group); err != nil {
		return fmt.Errorf("cannot save golden table: %w", err)
	}
	name := filepath.Join(dir, filepath.FromSlash(platform), t.Group+extension)
	data, err := t.encode()
	if err != nil {
		return err
	}
	if _, err := Parse(name, bytes.NewReader(data), vocab); err != nil {
		return fmt.Errorf("cannot save golden table, it would be broken: %w", err)
	}
	mode, done, err := inspect(name, data, vocab)
	if done || err != nil {
		return err
	}
	if err := replace(name, data, mode, create); err != nil {
		return fmt.Errorf("cannot save golden table %s: %w", printable(name), plainCause(err))
	}
	return nil
}

// newFileMode is the permissions of a table that did not exist.
const newFileMode fs.FileMode = 0o644

// inspect looks at the file that is to be replaced: the permissions it has, and
// whether it already holds data.
func inspect(name string, data []byte, vocab Vocabulary) (mode fs.FileMode, done bool, err error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return newFileMode, false, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err == nil && info.Mode().Perm()&0o222 == 0 {
		err = fmt.Errorf("the file is read-only: %w", fs.ErrPermission)
	}
	if err != nil {
		return 0, false, fmt.Errorf("cannot save golden table %s: %w", printable(name), plainCause(err))
	}
	old, err := readTable(name, vocab)
	if err != nil {
		return 0, false, err
	}
	return info.Mode().Perm(), bytes.Equal(old, data), nil
}

// readTable returns the bytes of a file that holds a table, or what is wrong
// with it.
func readTable(name string, vocab Vocabulary) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read golden table %s: %w", printable(name), plainCause(err))
	}
	defer f.Close() // only read
	var data bytes.Buffer
	_, err = Parse(name, io.TeeReader(f, &data), vocab)
	return data.Bytes(), err
}

// temporary is the part of *os.File that replace needs.
type temporary interface {
	io.Writer
	Name() string
	Chmod(fs.FileMode) error
	Sync() error
	Close() error
}

// creator creates a new file in dir, as os.CreateTemp does.
type creator func(dir, pattern string) (temporary, error)

func createTemp(dir, pattern string) (temporary, error) { return os.CreateTemp(dir, pattern) }

// replace puts data in the place of the file name. Renaming over an existing
// file has run on Linux only.
func replace(name string, data []byte, mode fs.FileMode, create creator) error {
	name, err := follow(name)
	if err != nil {
		return err
	}
	f, err := create(filepath.Dir(name), "."+filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	err = fill(f, data, mode)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err == nil {
		return nil
	}
	err = plainCause(err)
	if left := os.Remove(f.Name()); left != nil {
		return fmt.Errorf("%w (and %s is left: %v)", err, printable(f.Name()), plainCause(left))
	}
	return err
}

// mostLinks bounds a chain of symbolic links, as Linux does.
const mostLinks = 40

// follow returns the file that name stands for, which need not exist, also
// where its link leads nowhere yet, and creates the folders on the way to it.
func follow(name string) (string, error) {
	for range mostLinks {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return "", err
		}
		target, err := os.Readlink(name)
		if err != nil {
			return name, nil // no link: a file, or nothing
		}
		if !filepath.IsAbs(target) {
			// A link counts from the folder that it lies in, not from a link to that.
			dir, err := filepath.EvalSymlinks(filepath.Dir(name))
			if err != nil {
				return "", err
			}
			target = filepath.Join(dir, target)
		}
		name = target
	}
	return "", errors.New("too many symbolic links")
}

// fill writes data and asks for it to be on the disk before the rename, so that
// a loss of power leaves no empty table.
func fill(f temporary, data []byte, mode fs.FileMode) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	return f.Sync()
}

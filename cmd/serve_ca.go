package cmd

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/retry-lab/retry-lab/servers"
)

// mostCA is more than the certificate of an authority takes.
const mostCA = 64 << 10

// mayReplace refuses to write where something else is than an authority of an
// earlier run: the file is removed at the end.
func mayReplace(name string) error {
	old, err := readCA(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && isAuthority(old):
		return nil
	case err != nil && !errors.Is(err, errNoFile):
		return caError(name, err)
	}
	return usageError("choose another name", "--ca-file %q is there, and is no certificate of an earlier run", name)
}

func isAuthority(text []byte) bool {
	block, _ := pem.Decode(text)
	if block == nil {
		return false
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	return err == nil && cert.Subject.CommonName == servers.AuthorityName
}

var errNoFile = errors.New("not a regular file")

// readCA reads at most mostCA bytes of a regular file.
func readCA(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	return io.ReadAll(io.LimitReader(f, mostCA))
}

// A caFile is a certificate that was written for others to trust.
type caFile struct {
	name string // absolute
	text []byte
}

// writeCA writes the file in one step, so that a reader finds all of it.
func writeCA(name string, text []byte) (caFile, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return caFile{}, caError(name, err)
	}
	f, err := os.CreateTemp(filepath.Dir(abs), "."+filepath.Base(abs)+".*.tmp")
	if err != nil {
		return caFile{}, caError(name, err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), abs)
	}
	if err != nil {
		return caFile{}, caError(name, errors.Join(err, os.Remove(f.Name())))
	}
	return caFile{abs, text}, nil
}

// remove takes the file away if it is still the one that was written: nothing
// that it vouches for is left.
func (c caFile) remove() error {
	now, err := readCA(c.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(now, c.text) {
		return nil
	}
	if err == nil {
		err = os.Remove(c.name)
	}
	if err != nil {
		return caError(c.name, err)
	}
	return nil
}

func caError(name string, err error) error {
	return brokenError("is its folder there, and may it be written?", fmt.Errorf("--ca-file %q: %w", name, cause(err)))
}

package netns

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// etc holds the resolver's files; hostEtc is where the machine's own is found
// after etc had to be replaced.
const (
	etc     = "/etc"
	hostEtc = "/etc/.host"
)

// runDir, or oldRun where that is a folder still, is where nscd and
// systemd-resolved have their sockets, by which they would answer in the
// resolver's stead.
const (
	runDir = "/run"
	oldRun = "/var/run"
)

// tmpfsOptions bound what a temporary file system may hold.
const tmpfsOptions = "mode=0755,size=1m,nr_inodes=16k"

// Resolver makes the system's resolver, getaddrinfo(3), ask addr at port 53
// and nothing else: neither hosts files, nor search lists, nor a daemon. It
// puts resolv.conf, nsswitch.conf and hosts over those in /etc, whatever they
// are and even if there are none, and an empty /run over the machine's.
//
// It must come before the first lookup, since resolvers remember their files.
// addr is one in the child's own network. It needs Mount.
func (c *Child) Resolver(addr netip.Addr) error {
	if !addr.IsValid() {
		return errors.New("ask a resolver: no address")
	}
	if err := c.own("replace the resolver's files", Mount); err != nil {
		return err
	}
	if err := tried("keep mounts private", mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")); err != nil {
		return err
	}
	if err := tried("hide "+runDir, hideRun()); err != nil {
		return err
	}
	files := []file{
		{"resolv.conf", fmt.Sprintf("nameserver %v\nsearch .\n", addr)},
		{"nsswitch.conf", "hosts: dns\n"},
		{"hosts", "127.0.0.1 localhost\n::1 localhost\n"},
	}
	return replaceInEtc(files)
}

// A file is one to put into /etc.
type file struct{ name, text string }

// replaceInEtc puts files over those in /etc. A file can be mounted over
// another only where that exists; where one does not, or is a link into what
// is hidden now, all of /etc is replaced by links to the machine's.
func replaceInEtc(files []file) error {
	put := coverFile
	for _, f := range files {
		_, err := os.Stat(filepath.Join(etc, f.name))
		if errors.Is(err, fs.ErrNotExist) {
			if err := tried("replace "+etc, replaceEtc(files)); err != nil {
				return err
			}
			put = writeFile
			break
		}
	}
	for _, f := range files {
		name := filepath.Join(etc, f.name)
		if err := tried("replace "+name, put(name, f.text)); err != nil {
			return err
		}
	}
	return nil
}

// hideRun mounts an empty file system over /run, and over /var/run if that is
// not a link to it.
func hideRun() error {
	if err := mountTmpfs(runDir); err != nil {
		return err
	}
	hidden, err := os.Stat(runDir)
	if err != nil {
		return err
	}
	old, err := os.Stat(oldRun)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && os.SameFile(old, hidden):
		return nil
	case err != nil:
		return err
	}
	return mountTmpfs(oldRun)
}

// coverFile mounts a file with text over target. The file lies in /run, which
// must be hidden by now, and only until it is mounted.
func coverFile(target, text string) error {
	source := filepath.Join(runDir, filepath.Base(target))
	if err := writeFile(source, text); err != nil {
		return err
	}
	return errors.Join(mount(source, target, "", unix.MS_BIND, ""), os.Remove(source))
}

// replaceEtc mounts over /etc a folder that can be written to and has links to
// all of the machine's but for what files name.
func replaceEtc(files []file) error {
	parked := filepath.Join(runDir, "etc")
	if err := os.Mkdir(parked, 0o755); err != nil {
		return err
	}
	// Recursive: containers mount single files into /etc, which a user
	// namespace may not uncover.
	if err := mount(etc, parked, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	if err := mountTmpfs(etc); err != nil {
		return err
	}
	if err := os.Mkdir(hostEtc, 0o755); err != nil {
		return err
	}
	if err := mount(parked, hostEtc, "", unix.MS_MOVE, ""); err != nil {
		return err
	}
	if err := os.Remove(parked); err != nil {
		return err
	}
	entries, err := os.ReadDir(hostEtc)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := linkToHost(entry, files); err != nil {
			return err
		}
	}
	return nil
}

// linkToHost puts a link to entry of the machine's /etc into the new one; what
// was a link leads where it led.
func linkToHost(entry fs.DirEntry, files []file) error {
	for _, f := range files {
		if f.name == entry.Name() {
			return nil
		}
	}
	target := filepath.Join(filepath.Base(hostEtc), entry.Name())
	if entry.Type()&fs.ModeSymlink != 0 {
		link, err := os.Readlink(filepath.Join(hostEtc, entry.Name()))
		if err != nil {
			return err
		}
		target = link
	}
	return os.Symlink(target, filepath.Join(etc, entry.Name()))
}

// writeFile writes a file that everybody may read.
func writeFile(name, text string) error { return os.WriteFile(name, []byte(text), 0o644) }

// mountTmpfs mounts an empty file system over dir.
func mountTmpfs(dir string) error {
	return mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, tmpfsOptions)
}

// mount is mount(2).
func mount(source, target, kind string, flags uintptr, data string) error {
	if err := unix.Mount(source, target, kind, flags, data); err != nil {
		return &fs.PathError{Op: "mount", Path: target, Err: err}
	}
	return nil
}

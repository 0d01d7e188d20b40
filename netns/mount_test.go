//go:build linux

package netns_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/netns"
	"golang.org/x/sys/unix"
)

// A resolution is what a child saw of its resolver.
type resolution struct {
	Files     map[string]string // in /etc, their text
	Run       []string          // what is in /run
	Passwd    string            // of /etc/passwd, a file that stays
	Lookup    string
	Temporary bool
	Queries   int64
	Glibc     string // what getent(1) printed and how it ended, or that there is none
}

func TestResolverAsksTheGivenServerOnly(t *testing.T) {
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct{ why, etc string }{
		{"the machine's own files", ""},
		{"resolv.conf is a link into /run, as systemd-resolved has it", "link-run"},
		{"resolv.conf is a link to a file that stays", "link"},
		{"resolv.conf is a link to nothing", "dangling"},
		{"there is no resolv.conf", "missing"},
		{"there is none of the three", "none"},
	}
	for _, r := range rows {
		t.Run(r.why, func(t *testing.T) {
			t.Parallel()
			spec := netns.Spec{Namespaces: every, Env: []string{"GODEBUG=netdns=cgo"}}
			got := run[resolution](t, spec, "resolver", r.etc)
			want := map[string]string{
				"resolv.conf":   "nameserver 127.0.0.1\nsearch .\n",
				"nsswitch.conf": "hosts: dns\n",
				"hosts":         "127.0.0.1 localhost\n::1 localhost\n",
			}
			for name, text := range want {
				if got.Files[name] != text {
					t.Errorf("/etc/%s is %q, want %q", name, got.Files[name], text)
				}
			}
			if len(got.Run) != 0 {
				t.Errorf("/run has %q, want nothing", got.Run)
			}
			if got.Passwd != string(passwd) {
				t.Errorf("/etc/passwd is %q, want the machine's", got.Passwd)
			}
			t.Logf("%s; %s", got.Lookup, got.Glibc)
			if !got.Temporary || got.Queries == 0 {
				t.Errorf("a lookup: %q, temporary %v, %d queries; want a temporary failure by the server", got.Lookup, got.Temporary, got.Queries)
			}
			if got.Glibc != "no getent" && !strings.HasSuffix(got.Glibc, "exit status 2, asked") {
				t.Errorf("getent: %q, want it to ask and to fail", got.Glibc)
			}
		})
	}
}

func childResolver(c *netns.Child, args []string) (any, error) {
	if err := arrangeEtc(args[0]); err != nil {
		return nil, &netns.Unavailable{Step: "arrange /etc", Err: err}
	}
	if err := c.LoopbackUp(); err != nil {
		return nil, err
	}
	if err := c.Resolver(netip.MustParseAddr("127.0.0.1")); err != nil {
		return nil, err
	}
	got := resolution{Files: map[string]string{}}
	for _, name := range []string{"resolv.conf", "nsswitch.conf", "hosts", "passwd"} {
		text, err := os.ReadFile(filepath.Join("/etc", name))
		if err != nil {
			return nil, err
		}
		got.Files[name] = string(text)
	}
	got.Passwd = got.Files["passwd"]
	entries, err := os.ReadDir("/run")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		got.Run = append(got.Run, entry.Name())
	}
	err = lookUp(&got)
	return got, err
}

// lookUp asks for a name, of which a server at port 53 knows nothing.
func lookUp(got *resolution) error {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:53")
	if err != nil {
		return err
	}
	var queries atomic.Int64
	served := make(chan struct{})
	go func() {
		defer close(served)
		buf := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			queries.Add(1)
			buf[2], buf[3] = buf[2]|0x80, buf[3]&0xf0|2 // a response, SERVFAIL
			if _, err := conn.WriteTo(buf[:n], from); err != nil {
				return
			}
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, lookupErr := net.DefaultResolver.LookupHost(ctx, "lab.invalid.")
	got.Lookup = fmt.Sprint(lookupErr)
	if dns, ok := errors.AsType[*net.DNSError](lookupErr); ok {
		got.Temporary = dns.IsTemporary
	}
	got.Queries = queries.Load()
	got.Glibc = "no getent"
	if path, err := exec.LookPath("getent"); err == nil {
		out, err := exec.CommandContext(ctx, path, "ahosts", "lab.invalid.").CombinedOutput()
		got.Glibc = fmt.Sprintf("getent: %s%v", out, err)
		if queries.Load() > got.Queries {
			got.Glibc += ", asked"
		}
	}
	err = conn.Close()
	<-served
	return err
}

// arrangeEtc gives the child an /etc in which resolv.conf is as kind says.
func arrangeEtc(kind string) error {
	if kind == "" {
		return nil
	}
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	for _, dir := range []string{"/run", "/mnt"} {
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, ""); err != nil {
			return err
		}
	}
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", "/etc", "tmpfs", 0, ""); err != nil {
		return err
	}
	files := map[string]string{"/etc/passwd": string(passwd)}
	link := ""
	switch kind {
	case "link-run":
		link = "../run/systemd/resolve/stub-resolv.conf"
		files["/run/systemd/resolve/stub-resolv.conf"] = "nameserver 192.0.2.1\n"
	case "link":
		link = "/mnt/resolv.conf"
		files[link] = "nameserver 192.0.2.1\n"
	case "dangling":
		link = "/mnt/nothing"
	}
	if kind != "none" {
		files["/etc/hosts"], files["/etc/nsswitch.conf"] = "192.0.2.1 lab.invalid\n", "hosts: files\n"
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	if link == "" {
		return nil
	}
	return os.Symlink(link, "/etc/resolv.conf")
}

// A machine is what must be the same after every child: mounts, interfaces,
// routes, named network namespaces, and the files that children replace.
type machine struct {
	mounts, routes, interfaces string
	files                      []string
}

func look(t *testing.T) machine {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	m := machine{mounts: read("/proc/self/mountinfo"), routes: read("/proc/self/net/route") + read("/proc/self/net/ipv6_route")}
	ifs, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range ifs {
		m.interfaces += fmt.Sprintln(i.Name, i.Flags)
	}
	names := []string{"/run/etc", "/etc/.host"}
	for _, dir := range []string{"/etc", "/run", "/var/run"} {
		for _, name := range []string{"resolv.conf", "nsswitch.conf", "hosts", "netns"} {
			names = append(names, filepath.Join(dir, name))
		}
	}
	for _, name := range names {
		info, err := os.Lstat(name)
		switch {
		case err == nil:
			m.files = append(m.files, fmt.Sprintln(name, info.Mode(), info.Size(), info.ModTime().UnixNano()))
		case !errors.Is(err, fs.ErrNotExist):
			t.Fatal(err)
		}
	}
	return m
}

func TestChildrenLeaveTheMachineAsItWas(t *testing.T) {
	t.Parallel()
	before := look(t)
	for _, ns := range []netns.Namespaces{every, every | netns.User} {
		run[resolution](t, netns.Spec{Namespaces: ns}, "resolver", "")
		run[resolution](t, netns.Spec{Namespaces: ns}, "resolver", "link-run")
		run[map[string]answer](t, netns.Spec{Namespaces: ns}, "routes")
		run[map[string]string](t, netns.Spec{Namespaces: ns}, "sysctl")
		run[exchange](t, netns.Spec{Namespaces: ns}, "refused")
	}
	after := look(t)
	for what, pair := range map[string][2]string{
		"mounts": {before.mounts, after.mounts}, "routes": {before.routes, after.routes},
		"interfaces": {before.interfaces, after.interfaces},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s were\n%s\nand are\n%s", what, pair[0], pair[1])
		}
	}
	if !slices.Equal(before.files, after.files) {
		t.Errorf("files were\n%q\nand are\n%q", before.files, after.files)
	}
}

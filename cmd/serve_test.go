package cmd

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/retry-lab/retry-lab/servers"
	"github.com/retry-lab/retry-lab/servers/service"
)

// A running serve is a process of its own.
type running struct {
	served
	t      *testing.T
	c      *exec.Cmd
	stderr bytes.Buffer
}

// startServe starts it and reads its stdout to the end, which comes when all is
// open.
func startServe(t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{t: t, c: exec.CommandContext(t.Context(), "retry-lab", append([]string{"serve", "-o", "json"}, args...)...)}
	r.c.Stderr = &r.stderr
	r.c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // else the race detector holds the exit up for a second
	stdout, err := r.c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.c.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(stdout)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r.served); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return r
}

func (r *running) url(name string) string {
	r.t.Helper()
	for _, e := range r.Endpoints {
		if e.Name == name {
			return e.URL
		}
	}
	r.t.Fatalf("no endpoint %q", name)
	return ""
}

// end sends sig and returns the exit code and how long that took.
func (r *running) end(sig os.Signal) (int, time.Duration) {
	r.t.Helper()
	if err := r.c.Process.Signal(sig); err != nil {
		r.t.Skipf("this system cannot ask a process to end: %v", err)
	}
	sent := time.Now()
	code := exitOf(r.t, r.c.Wait())
	return code, time.Since(sent)
}

// With a hundred connections that are stalled or idle: it ends with 0, within a
// second on a machine that has one to give, and nothing is left.
func TestServeEndsAtOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process there cannot be asked to end")
	}
	const tries = 5
	for try := 1; ; try++ {
		sig := []os.Signal{syscall.SIGTERM, os.Interrupt}[try%2]
		took := endWithConnections(t, sig)
		t.Logf("%v: ended after %v", sig, took)
		if took < time.Second && try >= 2 || t.Failed() {
			return
		}
		if try == tries {
			t.Fatalf("never within a second, last after %v", took)
		}
	}
}

func endWithConnections(t *testing.T, sig os.Signal) time.Duration {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	r := startServe(t, "--ca-file", ca)
	pool := x509.NewCertPool()
	if text, err := os.ReadFile(ca); err != nil || !pool.AppendCertsFromPEM(text) || string(text) != r.CAPEM {
		t.Fatalf("ca file: %v", err)
	}
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	var wg sync.WaitGroup
	for i := range 50 {
		root := r.url([]string{"origin", "tls"}[i%2])
		wg.Go(func() {
			if res, err := tr.RoundTrip(newPost(t, root+"/silent")); err == nil {
				res.Body.Close()
				t.Errorf("answered %s", res.Status)
			}
		})
	}
	for i := range 50 {
		at, err := url.Parse(r.url([]string{"origin", "tls", "silent", "control", "h2-only"}[i%5]))
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	awaitDeliveries(t, r.url("control")+"/calls/silent?wait=50&timeout_ms=60000")

	code, took := r.end(sig)
	wg.Wait()
	if code != exitOK || r.stderr.Len() > 0 {
		t.Errorf("exit %d, stderr %q; want 0 and silence", code, r.stderr.String())
	}
	if _, err := os.Stat(ca); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the ca file: %v", err)
	}
	return took
}

func newPost(t *testing.T, to string) *http.Request {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "POST", to, struct{ io.Reader }{strings.NewReader("x")})
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func awaitDeliveries(t *testing.T, to string) {
	t.Helper()
	res, err := http.Get(to)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var got struct {
		TimedOut bool `json:"timed_out"`
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil || got.TimedOut {
		t.Fatalf("not all were delivered: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestBeyondLoopbackIsWarnedAbout(t *testing.T) {
	t.Parallel()
	r := startServe(t, "--listen", "0.0.0.0", "--unsafe-listen")
	code, _ := r.end(syscall.SIGTERM)
	if want := "retry-lab: warning: listening at 0.0.0.0: whoever reaches it may use it\n"; code != exitOK || r.stderr.String() != want {
		t.Errorf("exit %d, stderr %q, want %q", code, r.stderr.String(), want)
	}
	if at := r.url("origin"); !strings.HasPrefix(at, "http://127.0.0.1:") {
		t.Errorf("the origin's URL is %s", at)
	}
}

func TestPortsThatAreTakenAreOneLineAndExit3(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), "retry-lab", "serve", "--port-base", port)
	c.Stdout, c.Stderr = &stdout, &stderr
	code := exitOf(t, c.Run())
	said := stderr.String()
	if code != exitBroken || stdout.Len() > 0 || strings.Count(said, "\n") != 1 ||
		runtime.GOOS != "windows" && !strings.HasSuffix(said, "bind: address already in use (choose another --port-base)\n") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout.String(), said)
	}
}

// serve has no -j, which the hint of other commands names.
func TestWhatServeCannotOpenHasItsHint(t *testing.T) {
	var f *failure
	if err := (&serving{}).broken(os.NewSyscallError("socket", syscall.EMFILE)); !errors.As(err, &f) || f.hint != "raise the limit of open files: ulimit -n" {
		t.Errorf("%+v", f)
	}
}

// A shell waits for no more than the lines that it evaluates.
func TestAShellEvaluatesTheLinesAndGoesOn(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	const script = `set -eu
eval "$(retry-lab serve --env --ca-file "it's here.pem" &)"
kill -0 "$RETRY_LAB_PID"
test -s "$RETRY_LAB_CA_FILE"
echo "$RETRY_LAB_ORIGIN_URL $RETRY_LAB_TLS_WRONG_HOST_URL $RETRY_LAB_CONTROL_URL"
kill "$RETRY_LAB_PID"`
	c := exec.CommandContext(t.Context(), "sh", "-c", script)
	c.Dir = t.TempDir()
	c.WaitDelay = time.Minute
	out, err := c.CombinedOutput()
	if f := strings.Fields(string(out)); err != nil || len(f) != 3 || !strings.HasPrefix(f[1], "https://127.0.0.1:") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestEnvLinesAreQuoted(t *testing.T) {
	s := served{PID: 7, CAFile: "a'b $(c)", Endpoints: []servedEndpoint{{Name: "tls-fin", URL: "https://127.0.0.1:1"}}}
	const want = `export RETRY_LAB_PID='7'
export RETRY_LAB_TLS_FIN_URL='https://127.0.0.1:1'
export RETRY_LAB_CA_FILE='a'\''b $(c)'
`
	if got := s.env(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTheTableOfServeFits(t *testing.T) {
	svc := servers.Must[*service.Service](t)(service.Open(service.Options{}))
	for _, width := range []int{60, 80, 100, 200} {
		var b bytes.Buffer
		if err := newServed(svc, "127.0.0.1").table(&b, view{width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := displayWidth(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("at %d columns a line takes %d: %s", width, n, line)
			}
		}
		for _, e := range svc.Endpoints() {
			if !strings.Contains(b.String(), e.URL) {
				t.Errorf("at %d columns %s is broken or missing", width, e.URL)
			}
		}
	}
}

// A terminal that goes away ends it as an interrupt does; under nohup it stays.
func TestAHangupEndsServeUnlessItIsIgnored(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process there cannot be hung up")
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	r := startServe(t, "--ca-file", ca)
	if code, _ := r.end(syscall.SIGHUP); code != 0 || r.stderr.Len() > 0 {
		t.Errorf("exit %d, stderr %q", code, r.stderr.String())
	}
	if _, err := os.Stat(ca); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the certificate is left: %v", err)
	}
	const script = `set -eu
trap '' HUP
eval "$(retry-lab serve --env --ca-file "$0" &)"
kill -HUP "$RETRY_LAB_PID"
kill -HUP "$RETRY_LAB_PID"
curl -fsS -o /dev/null "$RETRY_LAB_CONTROL_URL/faults"
test -s "$RETRY_LAB_CA_FILE"
kill "$RETRY_LAB_PID"`
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", script, ca).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestTheCAFileOfAnotherIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	foreign, old := filepath.Join(dir, "key"), filepath.Join(dir, "old.pem")
	authority, err := servers.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{foreign: "precious", old: string(authority.PEM())} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{foreign, dir} {
		if err := mayReplace(name); err == nil {
			t.Errorf("%s: may be replaced", name)
		}
	}
	for _, name := range []string{old, filepath.Join(dir, "new.pem")} {
		if err := mayReplace(name); err != nil {
			t.Error(err)
		}
	}

	ca, err := writeCA(old, []byte("ours"))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(old)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(old, []byte("another run's"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := ca.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(old); err != nil {
		t.Errorf("another run's file was removed: %v", err)
	}
	if _, err := writeCA(filepath.Join(dir, "no", "such.pem"), nil); err == nil {
		t.Error("no error where there is no folder")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
}
